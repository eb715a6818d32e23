#!/usr/bin/env bash
# Adds a format, one file and its name in the list, to a copy of sim/convert/formats and builds the
# program with it: only the registry and the new file are compiled. Prints TAP.
#   usage: format_test.sh SOURCE BUILD, where `pipewright` is built
set -u
source=$(readlink -f "$1") build=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

# expect NAME PATTERN WORD ...: the new program prints what matches.
expect() {
  local name=$1 pattern=$2 printed verdict='not ok'
  shift 2
  printed=$(cd "$work" && ./pipewright "$@" 2>&1)
  # shellcheck disable=SC2053
  [[ $printed == $pattern ]] && verdict=ok
  echo "$verdict $((++count)) - $name"
  [[ $verdict == ok ]] || printf '%s\n' "$printed" | head -20 | sed 's/^/# /'
}

fail() {
  echo "not ok $((++count)) - $1"
  sed 's/^/# /' "$work/log" | tail -20
  echo "1..$count"
  exit 1
}

mkdir -p "$work/sim/convert"
cp -r "$source/sim/convert/formats" "$work/sim/convert"
cat >"$work/sim/convert/formats/scratch.cpp" <<'END'
#include "config/value.hpp"
#include "convert/formats/registry.hpp"

namespace pipewright::convert {

const Format format::scratch{
    .name = "scratch",
    .summary = "a scratch file",
    .reading = {.makes = "the same text",
                .help = "Nothing is changed.\n",
                .run = [](const ImportRequest& request) {
                  return request.option("before") + config::read_file(request.file);
                },
                .options = {{"before", "TEXT", "what goes first"}}},
    .recognises = [](std::string_view head, const std::string&) {
      return head.starts_with("scratch");
    }};

}  // namespace pipewright::convert
END
sed -i "s/^formats = \[/&\n  'scratch',/" "$work/sim/convert/formats/meson.build"
printf '%s\n' "project('additions')" 'sim_sources = []' 'one_by_one_sources = []' 'generated_headers = []' \
  "subdir('sim/convert/formats')" >"$work/meson.build"
meson setup "$work/build" "$work" >"$work/log" 2>&1 || fail 'the list makes a registry'

# compile FILE: as the build compiles format.cpp, but with the registry of the copy.
compile() {
  local command
  command=$(ninja -C "$build" -t commands -s sim/libsim_beyond_core_cold.a.p/convert_formats_format.cpp.o | tail -1)
  command=${command%% -MD *}
  (cd "$build" && eval "${command/ -I/ -I$work/build/sim -I$work/sim -I}" \
    -o "$work/$1.o" -c "$work/sim/convert/formats/$1.cpp") >"$work/log" 2>&1
}
compile scratch || fail 'a new format is one file'
compile format || fail 'its name goes into the list'
link=$(ninja -C "$build" -t commands -s pipewright | tail -1)
(cd "$build" && eval "${link/ -o pipewright / -o $work/pipewright $work/scratch.o $work/format.o }") \
  >"$work/log" 2>&1 || fail 'nothing else knows the formats'

echo 'scratch 1' >"$work/file"
expect 'help lists it' '*scratch*a scratch file*the same text*' import --help
expect 'and says all about it' '*--before TEXT*Nothing is changed.*what goes first*' import scratch --help
expect 'it is dispatched to' 'scratch 1' import scratch file
expect 'with its option' 'ascratch 1' import scratch file --before a
expect 'which is its alone' "error: --before is not for 'import goal', but for scratch" import goal file --before a
expect 'it is guessed' "*did you mean 'scratch'*" import scrath file
expect 'and recognised' '*taken for scratch*' import file
expect 'it is not exported' "*'scratch' must be one of *" export scratch example
echo "1..$count"
