#!/usr/bin/env bash
# Ctrl-C at the command line: one line, exit status 130, nothing half-written. Prints TAP.
#   usage: interrupt_test.sh PROGRAM
set -um
program=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
count=0

report() {  # NAME REASON: the reason why not, or nothing
  if [[ -z $2 ]]; then echo "ok $((++count)) - $1"; else printf 'not ok %d - %s\n# %s\n' $((++count)) "$1" "$2"; fi
}

# interrupted NAME WORD ...: a command that takes minutes is ended once it runs.
interrupted() {
  local name=$1 child status=0 wrong=''
  shift
  echo 'what was there' >out.json
  "$program" "$@" --json out.json >stdout 2>stderr &
  child=$!
  # It has taken a tenth of a second of a processor: the handler stands since its beginning.
  while [[ -r /proc/$child/stat ]] && (( $(cut -d' ' -f14 "/proc/$child/stat") < 10 )); do sleep 0.02; done
  kill -INT -- -"$child"
  wait "$child" || status=$?
  (( status == 130 )) || wrong="status $status"
  [[ $(wc -l <stderr) == 1 && $(<stderr) == interrupted* ]] || wrong+=" standard error: $(<stderr)"
  [[ ! -s stdout ]] || wrong+=" standard output: $(head -3 stdout)"
  [[ $(<out.json) == 'what was there' ]] || wrong+=' the file was touched'
  [[ $(ls -I study.yaml) == $'out.json\nstderr\nstdout' ]] || wrong+=" left: $(ls | tr '\n' ' ')"
  report "$name" "$wrong"
}

long=(gpt3-175b-selene --set batch.global=49152 --every-micro-batch)
interrupted 'a simulation' simulate "${long[@]}"
interrupted 'a comparison' compare "${long[@]}" --schedules 1f1b,gpipe,zb-h1
interrupted 'a plan' plan gpt3-175b-selene --simulations 100000
echo '{experiment: gpt3-175b-selene, vary: {batch.global: [49152, 98304], schedule: [1f1b, gpipe, zb-h1]}}' >study.yaml
interrupted 'a sweep' sweep study.yaml --set vary.variation='[{compute_spread: 2%, seeds: 100}]'
echo "1..$count"
