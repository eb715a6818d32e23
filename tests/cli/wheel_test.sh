#!/usr/bin/env bash
# Builds a wheel without a network, installs it into a virtual environment and imports it there.
# Prints TAP. It compiles the simulator once more, so '.ci/nightly' runs it.
#   usage: wheel_test.sh PACKAGE_SCRIPT
set -u
script=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

# check NAME COMMAND ...: one result; of a failed one also the end of what it printed.
check() {
  local name=$1 said
  shift
  (( count += 1 ))
  if said=$("$@" 2>&1); then echo "ok $count - $name"; return; fi
  echo "not ok $count - $name"
  printf '%s\n' "$said" | tail -20 | sed 's/^/# /'
}

/usr/bin/python3 -c 'import mesonpy' 2>/dev/null ||
  { echo '1..0 # SKIP meson-python is not installed'; exit; }

# Whatever asks an index fails.
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1
python=$work/venv/bin/python
alone() { (cd / && env -i PATH=/usr/bin:/bin "$@"); }
simulates() { alone "$python" -c "
import pipewright as pw
assert pw.__file__.startswith('$work'), pw.__file__
assert pw.simulate('example').iteration_time_s > 0
assert pw.InputError and pw.schema('experiment')"; }
compares() { alone "$work/venv/bin/pipewright" compare | grep -q '^Take '; }
has_types() { ls "$work"/venv/lib/python3*/site-packages/pipewright/{__init__.pyi,py.typed}; }

check 'a wheel is made' "$script" package --wheel -o "$work/wheel"
check 'an environment of its own' /usr/bin/python3 -m venv --system-site-packages "$work/venv"
check 'takes it' "$python" -m pip install --quiet --no-deps "$work"/wheel/pipewright-*.whl
check 'its module simulates' simulates
check 'its types are there' has_types
check 'its command compares' compares
echo "1..$count"
