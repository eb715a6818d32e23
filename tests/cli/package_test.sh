#!/usr/bin/env bash
# Test of what is installed and packaged: it works without the checkout that it was built from.
# Prints TAP.
#   usage: package_test.sh PACKAGE_SCRIPT
set -u
script=$(readlink -f "$1")
root=$(dirname "$(dirname "$script")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

# check NAME COMMAND ...: one result; of a failed one also what it printed.
check() {
  local name=$1 said
  shift
  (( count += 1 ))
  if said=$("$@" 2>&1); then echo "ok $count - $name"; return; fi
  echo "not ok $count - $name"
  printf '%s\n' "$said" | head -20 | sed 's/^/# /'
}
skip() { (( count += 1 )); echo "ok $count - $1 # SKIP $2"; }

# alone COMMAND ...: runs it where the checkout is an empty folder, and nothing of this environment.
alone() {
  unshare -rm bash -c 'mount -t tmpfs none "$0" && cd / && exec env -i PATH=/usr/bin:/bin "$@"' "$root" "$@"
}

command -v dpkg-deb >/dev/null || { echo '1..0 # SKIP no Debian system'; exit; }

check 'a Debian package is made' "$script" package -o "$work"
check 'it unpacks' dpkg-deb -x "$work"/pipewright_*.deb "$work/system"
all_there() { dpkg-deb -f "$work"/pipewright_*.deb Depends | tr ',' '\n' | xargs dpkg-query -W; }
check 'what it depends on is what it was linked with' all_there
holds() { dpkg-deb -f "$work"/pipewright_*.deb Depends | grep -q libyaml-cpp; }
check 'that is named' holds
bin=$work/system/usr/bin/pipewright
for file in bin/pipewright bin/pipewright-live share/man/man1/pipewright.1.gz share/man/man5/pipewright-experiment.5.gz \
    share/bash-completion/completions/pipewright share/zsh/site-functions/_pipewright \
    share/fish/vendor_completions.d/pipewright.fish share/pipewright/schemas/experiment.json share/doc/pipewright/copyright \
    share/doc/pipewright/README.md share/doc/pipewright/{LICENSE,NOTICE,.github/CONTRIBUTING.md,.github/CHANGELOG.md,sim/DECISIONS.md} share/doc/pipewright/workloads/README.md share/doc/pipewright/sim/schedule/rules/rules.md; do
  check "it has $file" test -s "$work/system/usr/$file"
done
as_installed() {
  local documents=$work/system/usr/share/doc/pipewright
  ! grep -rE --include='*.md' '\./pipewright (simulate|sweep|plan|list|help)' "$documents" &&
    grep -q '^\$ pipewright compare$' "$documents/README.md" && grep -q '`./pipewright install' "$documents/README.md"
}
check 'its documents call the program as it is installed' as_installed
linked() {  # what README.md links is there
  local documents=$work/system/usr/share/doc/pipewright file missing=0
  while IFS= read -r file; do
    [[ $file == http* || -e $documents/$file ]] || { echo "README.md links $file"; missing=1; }
  done < <(grep -oE '\]\([^)#:]+' "$documents/README.md" | cut -c3-)
  return $missing
}
check 'and link what is there' linked
if unshare -rm mount -t tmpfs none "$root" 2>/dev/null; then
  compared() { alone "$bin" compare | grep -q 'Take terapipe'; }
  check 'it compares without its checkout' compared
  written() {
    alone "$bin" plan gpt3-175b-selene --simulations 1 -o "$work/best.yaml" >/dev/null &&
      head -1 "$work/best.yaml" | grep -qx "# yaml-language-server: \$schema=$work/system/usr/share/pipewright/schemas/experiment.json"
  }
  check 'a file that it writes names the schema that it installed' written
  if [[ -d $work/system/usr/lib/python3/dist-packages/pipewright ]]; then
    imported() {
      alone /usr/bin/python3 -B -c "import sys; sys.path.insert(0, '$work/system/usr/lib/python3/dist-packages')
import pipewright as pw; assert pw.simulate('example').iteration_time_s > 0"
    }
    check 'its Python module simulates' imported
  else
    skip 'its Python module simulates' 'it was built without Python'
  fi
else
  skip 'it works without its checkout' 'no namespaces here'
fi

check 'it is installed below a prefix' "$script" install --prefix "$work/prefix"
run_installed() { "$work/prefix/bin/pipewright" --version | grep -q '^pipewright [0-9.]* ('; }
check 'and says its version there' run_installed
wrong() { ! "$script" install --perfix x 2>"$work/said" && grep -q "unknown word '--perfix'" "$work/said"; }
check 'an unknown option is told' wrong
echo "1..$count"
