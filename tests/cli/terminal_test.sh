#!/usr/bin/env bash
# What a terminal shows: blocks where the locale is UTF-8, colours on a terminal, 80 columns.
# Prints TAP.
#   usage: terminal_test.sh PROGRAM
set -u
program=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0

# check NAME COMMAND ...
check() {
  local name=$1
  shift
  if "$@"; then echo "ok $((++count)) - $name"; else echo "not ok $((++count)) - $name"; fi
}
skip() { echo "ok $((++count)) - $1 # SKIP $2"; }

# printed ASSIGNMENT ...: the summary, with these variables and no others of a locale.
printed() { env -u LC_ALL -u LC_CTYPE -u LANG "$@" "$program" simulate example; }
# shown ASSIGNMENT ...: the same on a terminal.
shown() {
  env -u LC_ALL -u LC_CTYPE -u LANG -u NO_COLOR TERM=xterm-256color "$@" \
    script -qec "'$program' simulate example" /dev/null </dev/null
}
has() { grep -q -- "$1" "$2"; }
lacks() { ! grep -q -- "$1" "$2"; }

for locale in LC_ALL=C.UTF-8 LC_CTYPE=en_US.utf8 LANG=C.UTF-8; do
  printed "$locale" >"$work/text"
  check "$locale: blocks" has '^rank 0 |░' "$work/text"
done
for locale in LC_ALL=C LANG= 'LANG=de_DE.ISO-8859-1'; do
  printed "$locale" >"$work/text"
  check "$locale: letters" has '^rank 0 |F' "$work/text"
  check "$locale: nothing but ASCII" eval '! LC_ALL=C grep -q "[^ -~]" "$work/text"'
done
printed LC_ALL=C LANG=C.UTF-8 >"$work/text"
check 'LC_ALL is stronger than LANG' has '^rank 0 |F' "$work/text"
check 'no colours where there is no terminal' lacks $'\033' "$work/text"
for name in example llama-3-70b-dgx-h100 gpt3-175b-selene; do
  "$program" simulate "$name" >"$work/text"
  check "$name: 80 columns" eval '[[ $(LC_ALL=C.UTF-8 wc -L <"$work/text") -le 80 ]]'
done
if command -v script >/dev/null; then
  shown LC_ALL=C.UTF-8 >"$work/text"
  check 'a terminal has colours' has $'\033\\[38;5;' "$work/text"
  shown LC_ALL=C.UTF-8 NO_COLOR=1 >"$work/text"
  check 'unless NO_COLOR is set' lacks $'\033' "$work/text"
  script -qec "'$program' simulate gpt3-175b-selene --set batch.global=24576 --every-micro-batch --json /dev/null" \
    /dev/null </dev/null >"$work/text"
  check 'a long run tells what it does' grep -qE $'\r\033\\[K(preparing|lowering|simulating|measuring): [0-9]' "$work/text"
  check 'and its line goes before the summary' grep -q $'\r\033\\[K1f1b: ' "$work/text"
  for words in 'plan llama-3-70b-dgx-h100 --simulations 3 --top 3' 'compare example' 'sweep capacity' \
      'sensitivity example' 'simulate example'; do
    # -q would print nothing: the line of progress is cut off before the text.
    script -qec "stty cols 80; NO_COLOR=1 LC_ALL=C '$program' $words" /dev/null </dev/null |
      sed -e 's/\r*$//' -e $'s/.*\r\033\\[K//' >"$work/text"
    check "${words%% *} on a terminal: 80 columns" eval '[[ -s $work/text && $(wc -L <"$work/text") -le 80 ]]'
  done
  script -qec "stty cols 80; '$program' plan gpt3-175b-selene --simulations 20 --jobs 1" /dev/null </dev/null >"$work/text"
  check 'a search tells how far it is' grep -qE $'\r\033\\[Kplans simulated: [0-9]' "$work/text"
  shown LC_ALL=C.UTF-8 TERM=dumb >"$work/text"
  check 'or the terminal is dumb' lacks $'\033' "$work/text"
else
  skip 'a terminal has colours' 'no script(1)'
fi
echo "1..$count"
