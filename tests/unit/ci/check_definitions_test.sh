#!/usr/bin/env bash
# Test of .ci/check_definitions over small trees. Prints TAP.
#   usage: check_definitions_test.sh CHECKER
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

mkdir -p "$tree"/sim/{a,b}
echo 'namespace n { struct S { int x; }; struct T; inline int f(int x) { return x; } }' >"$tree/sim/a/a.hpp"
expect 'one definition of each name is right' 0 ''
echo 'namespace n { struct T; namespace { struct S { char c; }; } }' >"$tree/sim/b/b.cpp"
expect 'a declaration and a type of one file are no definitions beside it' 0 ''
echo 'namespace m { struct S { char c; }; }' >"$tree/sim/b/c.hpp"
expect 'another namespace is another name' 0 ''
echo 'namespace n { struct S { char c; }; }' >"$tree/sim/b/d.cpp"
expect 'two structs of one name are refused' 1 'sim/b/d.cpp:1: n::S is defined in sim/a/a.hpp:1 too'
echo 'namespace n { inline int f(char x) { return x; } }' >"$tree/sim/b/d.cpp"
expect 'an overload is another function' 0 ''
echo 'namespace n { inline int f(int x) { return -x; } }' >"$tree/sim/b/d.hpp"
expect 'two inline functions of one name are refused' 1 \
  'sim/b/d.hpp:1: n::f(int) is defined in sim/a/a.hpp:1 too'
echo 'namespace n { inline int f(int y = 1) { return y; } }' >"$tree/sim/b/d.hpp"
expect 'names and defaults of parameters do not tell two functions apart' 1 \
  'sim/b/d.hpp:1: n::f(int) is defined in sim/a/a.hpp:1 too'
rm "$tree/sim/b/d.hpp"
echo 'namespace n { namespace { struct S { int y; }; } }' >"$tree/sim/b/e.cpp"
expect 'a name of one file may stand in another' 0 ''
echo "rooms = [
  'a',
  'b',
]" >"$tree/sim/meson.build"
expect 'but not where their room is compiled together' 1 \
  'sim/b/e.cpp:1: b/n::(anonymous)::S is defined in sim/b/b.cpp:1 too'
echo 'namespace n { namespace { const int f = 1; } }' >"$tree/sim/b/e.cpp"
echo 'namespace n { namespace { const int f = 2; } }' >"$tree/sim/b/f.cpp"
expect 'constants as well' 1 'sim/b/f.cpp:1: b/n::(anonymous)::f is defined in sim/b/e.cpp:1 too'
echo 'namespace n { void g(std::string text); void h(const Shape& s); }' >"$tree/sim/b/g.hpp"
echo 'namespace n { namespace { void g(int x) {} void h(int x) {} } }' >"$tree/sim/b/f.cpp"
expect 'what hides a function of its room is refused' 1 'sim/b/f.cpp:1: g hides that of sim/b/g.hpp:1'
mv "$tree/sim/b/g.hpp" "$tree/sim/a/g.hpp"
expect 'one of another room may have the name' 0 ''
echo "1..$count"
