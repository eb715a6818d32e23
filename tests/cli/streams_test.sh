#!/usr/bin/env bash
# Standard streams that are closed or full: a command ends with its status, aborts nowhere, and writes
# nothing of what it has to say into its files. Prints TAP.
#   usage: streams_test.sh PROGRAM
set -u
# shellcheck source=tests/support/tap.sh
. "$(dirname "$(readlink -f "$0")")/../support/tap.sh"

# ends STATUS REDIRECTION WORD ...: the exit status under a redirection of the shell.
ends() {
  local wanted=$1 streams=$2 status=0
  shift 2
  bash -c '"$0" "$@" '"$streams" "$program" "$@" >stdout 2>stderr </dev/null || status=$?
  [[ $status == "$wanted" ]] || echo "status $status, not $wanted: $(head -c 300 stderr)"
}

for streams in '2>&-' '2>/dev/full'; do
  report "errors go nowhere: input that is wrong, $streams" "$(ends 2 "$streams" simulate nothing)"
  report "errors go nowhere: a live command, $streams" "$(ends 2 "$streams" replay nothing)"
  report "errors go nowhere: what runs does so, $streams" "$(ends 0 "$streams" simulate pp16-m128)"
done
for streams in '>&-' '>/dev/full'; do
  for words in '--version' 'simulate pp16-m128' 'replay --help' 'replay example --repeat 1'; do
    # shellcheck disable=SC2086  # words, on purpose
    wrong=$(ends 1 "$streams" $words)
    [[ $(wc -l <stderr) == 1 && $(<stderr) == 'error: cannot write '* ]] || wrong+=" its errors: $(head -c 300 stderr)"
    report "output goes nowhere: $words, $streams" "$wrong"
  done
done

# A file that is opened takes the first number that is free: that of no standard stream.
study='{experiment: pp16-m128, vary: {schedule: [gpipe, 1f1b]}}'
echo "$study" >study.yaml
for streams in '2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
  rm -f out.json rows.csv
  ends 0 "$streams" sweep study.yaml --quiet --json out.json --csv rows.csv --store runs.db >/dev/null
  wrong=''
  python3 -c 'import json; json.load(open("out.json"))' 2>said || wrong="out.json: $(tail -1 said)"
  [[ $(wc -l <rows.csv) == 3 ]] || wrong+=" rows.csv: $(head -c 300 rows.csv)"
  report "files hold what is theirs, $streams" "$wrong"
done
echo "1..$count"
