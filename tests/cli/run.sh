#!/usr/bin/env bash
# Runs the program as a user would, over a file of cases. Prints TAP.
#   usage: run.sh PROGRAM CASES
# A case is one line:
#   expect NAME STATUS STDOUT STDERR WORD ...   started with these words, in a folder of its own,
#                                               the program exits with STATUS; STDOUT is a pattern
#                                               of all that it prints, STDERR of the first line of
#                                               its errors ('' for nothing, '*' for anything)
# after, where it needs them,
#   given FILE TEXT                             a file in that folder
#   input TEXT                                  its standard input
# and before, to look at what the last case left,
#   holds NAME FILE PATTERN                     FILE is there and its text matches PATTERN
# Of itself a case also asserts: within 20 s; what is said of an input error (2) is one line; what
# fails leaves no file behind, what succeeds no temporary one.
set -u
export LC_ALL=C  # timelines are drawn of letters
program=$(readlink -f "$1") cases=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0 stale=1

# The folder of the next case, once.
fresh() {
  (( stale )) || return 0
  stale=0
  rm -rf "$work/here"
  mkdir -p "$work/here"
  : >"$work/stdin"
}

given() {
  fresh
  mkdir -p "$(dirname "$work/here/$1")"
  printf '%s\n' "$2" >"$work/here/$1"
}

input() {
  fresh
  printf '%s\n' "$1" >"$work/stdin"
}

report() {  # NAME [REASON ...]
  local name=$1
  shift
  if (( $# == 0 )); then
    echo "ok $((++count)) - $name"
  else
    echo "not ok $((++count)) - $name"
    printf '# %s\n' "$@" | head -20
  fi
}

files() { (cd "$work/here" && find . -type f | LC_ALL=C sort); }

expect() {
  local name=$1 status=$2 out=$3 err=$4 before after got printed first lines wrong=()
  shift 4
  fresh
  before=$(files)
  (cd "$work/here" && timeout -k 1 300 "$program" "$@") \
    <"$work/stdin" >"$work/stdout" 2>"$work/stderr"
  got=$?
  after=$(files)
  printed=$(tr -d '\0' <"$work/stdout")
  first=$(head -1 "$work/stderr")
  lines=$(wc -l <"$work/stderr")

  (( got == status )) || wrong+=("status $got, not $status; its errors begin: $first")
  # shellcheck disable=SC2053  # patterns, on purpose
  [[ $printed == $out ]] || wrong+=("standard output is not '$out': ${printed:0:300}")
  # shellcheck disable=SC2053
  [[ $first == $err ]] || wrong+=("the first line of its errors is not '$err': $first")
  (( status != 2 || lines <= 1 )) || wrong+=("$lines lines of errors, not one")
  if (( status == 0 )); then
    [[ $after != *.tmp* && $after != *.part* ]] || wrong+=("leaves a temporary file: $after")
  else
    [[ $after == "$before" ]] || wrong+=("fails and leaves: $after")
  fi
  stale=1
  report "$name" "${wrong[@]}"
}

holds() {
  local text wrong=()
  text=$(cat "$work/here/$2" 2>&1) || wrong+=("$text")
  # shellcheck disable=SC2053
  [[ $text == $3 ]] || wrong+=("$2 is not '$3': ${text:0:300}")
  report "$1" "${wrong[@]}"
}

# shellcheck source=/dev/null
source "$cases"
echo "1..$count"
