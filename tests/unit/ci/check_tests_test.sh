#!/usr/bin/env bash
# Test of .ci/check_tests over small trees. Prints TAP.
#   usage: check_tests_test.sh CHECKER
set -u
checker=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
count=0

# expect NAME STATUS PATTERN: of the tree as it is.
expect() {
  local printed status verdict='not ok'
  printed=$("$checker" "$tree" 2>&1)
  status=$?
  # shellcheck disable=SC2053  # a pattern, on purpose
  [[ $status == "$2" && $printed == $3 ]] && verdict=ok
  echo "$verdict $((++count)) - $1"
  [[ $verdict == ok ]] || printf '%s\n' "status $status" "$printed" | sed 's/^/# /'
}

mkdir -p "$tree"/{.ci,sim/plan/parts,sim/cli,tests/unit/plan/parts}
touch "$tree"/sim/plan/parts/a.cpp
expect 'a file without a test is refused' 1 \
  'sim/plan/parts/a.cpp: has no tests/unit/plan/parts/a_test.cpp*note: 1 files, 1 of them*'
touch "$tree"/tests/unit/plan/a_test.cpp
expect 'a test in another folder is not its test' 1 'sim/plan/parts/a.cpp: has no*'
echo sim/plan/parts/a.cpp >"$tree/.ci/untested.txt"
expect 'on the list it may be' 0 'note: 1 files, 1 of them*'
touch "$tree"/tests/unit/plan/parts/a_test.cpp
expect 'what has a test leaves the list' 1 'sim/plan/parts/a.cpp: is tested or gone*'
: >"$tree/.ci/untested.txt"
expect 'a test in the mirrored folder is its test' 0 'note: 1 files, 0 of them*'
touch "$tree/sim/cli/b.cpp"
expect 'a folder that is tested from outside needs those tests' 1 'sim/cli/b.cpp: has no*'
mkdir "$tree/tests/cli"
expect 'and then no other' 0 'note: 2 files, 0 of them*'
echo "1..$count"
