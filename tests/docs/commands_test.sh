#!/usr/bin/env bash
# Runs the commands that a document shows and compares what they print with what stands there.
# Prints TAP.
#   usage: commands_test.sh PROGRAM DOCUMENT ...
# A document is Markdown. Two kinds of fenced blocks count:
#   ```console           a line '$ ./pipewright ...' is a command, a '\' at its end continues it.
#                        The lines up to the next command are what it prints, errors included. A
#                        line '...' stands for any lines, '...' within a line for any text.
#   ```yaml (or csv ...) whose first line is '# file: NAME': the rest is written to NAME.
# The blocks of a document run in their order in one folder. It looks like the root of the
# repository: the folders of data are there, and ./pipewright is PROGRAM. A command that prints
# 'error: ' must fail, every other one must succeed. Those of pipewright-live are skipped where it
# is not built. Links to files and paths of the repository must lead somewhere.
set -u
export LC_ALL=C.UTF-8  # which timelines are drawn by
program=$(readlink -f "$1") || exit 1
shift
root=$(readlink -f "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

report() {  # NAME FILE: the file says what is wrong, nothing if it is empty
  count=$(( count + 1 ))
  if [[ ! -s $2 ]]; then
    echo "ok $count - $1"
  else
    echo "not ok $count - $1"
    sed 's/^/# /' "$2" | head -60
  fi
}

skip() { echo "ok $(( ++count )) - $1 # SKIP $2"; }

fresh() {
  rm -rf "$work/here"
  mkdir "$work/here"
  ln -s "$root"/{sim,workloads,topologies,calibrate,tests} "$work/here/"
  # The program looks for pipewright-live beside itself.
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" >"$work/here/pipewright"
  chmod +x "$work/here/pipewright"
}

# pattern FILE: an extended regular expression for text that is as the file says.
pattern() {
  local line expression='' literal any=$'[^\n]*'
  while IFS= read -r line || [[ -n $line ]]; do
    if [[ $line == ... ]]; then
      expression+=$'([^\n]*\n)*'
      continue
    fi
    # shellcheck disable=SC2016
    literal=$(sed -e 's/[ \t]*$//' -e 's/[][\\.*^$(){}?+|]/\\&/g' <<<"$line")
    expression+=${literal//'\.\.\.'/$any}$'\n'
  done <"$1"
  printf '%s' "$expression"
}

# run COMMAND EXPECTED: what it prints is what the file says.
run() {
  local command=$1 expected=$2 wrong=$work/wrong status=0 printed fails=no expression
  : >"$wrong"
  case $command in
    './pipewright replay'* | './pipewright calibrate'* | './pipewright import nccl-tests'*)
      if [[ ! -x $(dirname "$program")/pipewright-live ]]; then
        skip "$command" 'no pipewright-live'
        return
      fi ;;
  esac
  (cd "$work/here" && timeout -k 1 300 bash -c "$command") >"$work/printed" 2>&1 </dev/null || status=$?
  grep -q 'error: ' "$expected" && fails=yes
  [[ $fails == yes || $status == 0 ]] || echo "exit status $status" >>"$wrong"
  [[ $fails == no || $status != 0 ]] || echo 'succeeded, but was to fail' >>"$wrong"
  sed -i 's/[ \t]*$//' "$work/printed"
  printed=$(cat "$work/printed" && echo .)
  printed=${printed%.}
  expression=$(pattern "$expected" && echo .)
  expression=${expression%.}
  # Empty lines before the end of a block are for the eye.
  while [[ $printed == *$'\n\n' ]]; do printed=${printed%$'\n'}; done
  while [[ $expression == *$'\n\n' ]]; do expression=${expression%$'\n'}; done
  if ! [[ $printed =~ ^$expression$ ]]; then
    {
      echo 'the document (-) says something else than the program (+):'
      diff -u "$expected" "$work/printed" | tail -n +3
    } >>"$wrong"
  fi
  report "$command" "$wrong"
}

# blocks DOCUMENT: the console blocks and files of a document, each in a file of its own in blocks/,
# by number: NN.console or NN.file (its first line is its name).
blocks() {
  rm -rf "$work/blocks"
  mkdir "$work/blocks"
  awk -v folder="$work/blocks" '
    inside && /^ *```$/ { inside = 0; if (out) close(out); out = ""; next }
    inside && first { first = 0; if (kind != "console" && /^# file: /) { out = name ".file"; sub(/^# file: /, ""); print > out; next } }
    inside { if (out) print > out; next }
    /^ *```/ { inside = first = 1; number++; kind = $0; sub(/^ *```/, "", kind); name = sprintf("%s/%03d", folder, number)
               if (kind == "console") { out = name ".console"; first = 0 } }' "$1"
}

# commands FILE: runs those of a console block.
commands() {
  local line command='' expected=$work/expected open=no
  while IFS= read -r line || [[ -n $line ]]; do
    if [[ $open == yes ]]; then
      command+=" ${line##+( )}"
    elif [[ $line == '$ '* ]]; then
      [[ -z $command ]] || run "$command" "$expected"
      command=${line#\$ }
      : >"$expected"
    else
      echo "$line" >>"$expected"
      continue
    fi
    open=no
    if [[ $command == *\\ ]]; then
      command=${command%\\} command=${command% } open=yes
    fi
  done <"$1"
  [[ -z $command ]] || run "$command" "$expected"
}
shopt -s extglob

# places DOCUMENT: links to files, and paths of the repository in backquotes, that lead nowhere.
# my_... is a file of the reader's.
places() {
  local folder target
  folder=$(dirname "$1")
  grep -oE '\]\([^)]+\)' "$1" | sed -e 's/^](//' -e 's/)$//' -e 's/#.*//' | grep -vE '^(https?:|$)' |
    while IFS= read -r target; do
      [[ -e $folder/$target ]] || echo "a link leads nowhere: $target"
    done
  # shellcheck disable=SC2016
  grep -oE '`(sim|tests|workloads|topologies|calibrate|kernels|\.ci|\.github)/[A-Za-z0-9_./-]*`' "$1" | tr -d '`' | grep -v '/my_' | sort -u |
    while IFS= read -r target; do
      [[ -e $root/$target ]] || echo "there is no $target"
    done
}

for document in "$@"; do
  document=$(readlink -f "$document")
  short=${document#"$root/"}
  fresh
  places "$document" >"$work/wrong"
  report "$short: links lead somewhere" "$work/wrong"
  blocks "$document"
  for block in "$work"/blocks/*; do
    case $block in
      *.console) commands "$block" ;;
      *.file)
        mkdir -p "$work/here/$(dirname "$(head -1 "$block")")"
        tail -n +2 "$block" >"$work/here/$(head -1 "$block")" ;;
    esac
  done
done
echo "1..$count"
