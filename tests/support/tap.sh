# shellcheck shell=bash
# Results of checks as TAP, for tests written in Bash that are given a program and work in a folder of
# their own. It is sourced.
# shellcheck disable=SC2034  # of who sources it
program=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
count=0

report() {  # NAME REASON: the reason why not, or nothing
  if [[ -z $2 ]]; then echo "ok $((++count)) - $1"; else printf 'not ok %d - %s\n# %s\n' $((++count)) "$1" "$2"; fi
}
