#!/usr/bin/env bash
# Ctrl-C at the command line: one line, exit status 130, nothing half-written. Prints TAP.
#   usage: interrupt_test.sh PROGRAM
set -um
# shellcheck source=tests/support/tap.sh
. "$(dirname "$(readlink -f "$0")")/../support/tap.sh"

# interrupted NAME WORD ...: a command that takes minutes is ended once it runs. Its last word is the file
# that it would write.
interrupted() {
  local name=$1 child status=0 wrong='' file=${!#}
  shift
  echo 'what was there' >"$file"
  "$program" "$@" >stdout 2>stderr &
  child=$!
  # It has taken a tenth of a second of a processor: the handler stands since its beginning.
  while [[ -r /proc/$child/stat ]] && (( $(cut -d' ' -f14 "/proc/$child/stat") < 10 )); do sleep 0.02; done
  kill -INT -- -"$child"
  wait "$child" || status=$?
  (( status == 130 )) || wrong="status $status"
  [[ $(wc -l <stderr) == 1 && $(<stderr) == interrupted* ]] || wrong+=" standard error: $(<stderr)"
  [[ ! -s stdout ]] || wrong+=" standard output: $(head -3 stdout)"
  [[ $(<"$file") == 'what was there' ]] || wrong+=' the file was touched'
  [[ $(ls -I study.yaml -I '*.csv.part') == "$file"$'\nstderr\nstdout' ]] || wrong+=" left: $(ls | tr '\n' ' ')"
  report "$name" "$wrong"
  rm "$file"
}

long=(gpt3-175b-selene --set batch.global=49152 --every-micro-batch)
interrupted 'a simulation' simulate "${long[@]}" --json out.json
interrupted 'a comparison' compare "${long[@]}" --schedules 1f1b,gpipe,zb-h1 --json out.json
interrupted 'a plan' plan gpt3-175b-selene --simulations 100000 --json out.json
echo '{experiment: gpt3-175b-selene, vary: {batch.global: [49152, 98304], schedule: [1f1b, gpipe, zb-h1]}}' >study.yaml
interrupted 'a sweep' sweep study.yaml --set vary.variation='[{compute_spread: 2%, seeds: 100}]' --json out.json
interrupted 'a live run' replay example --repeat 1000 --json out.json
# What was measured so far stays beside it: the same command goes on there.
interrupted 'a calibration' calibrate -o out.yaml
echo "1..$count"
