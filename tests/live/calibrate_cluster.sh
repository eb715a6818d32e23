#!/usr/bin/env bash
# 'calibrate --cluster' under mpirun, and what becomes of it when a rank is killed. Prints TAP.
#   usage: calibrate_cluster.sh PROGRAM
source "$(dirname "$(readlink -f "$0")")/tap.sh"
skip_without_mpi

"$program" calibrate --cluster >said 2>&1
check 'alone it is an input error' test $? = 2
check 'which says how to start it' says 'mpirun -n 8 pipewright calibrate --cluster'

mpirun "${options[@]}" -n 3 "$program" calibrate --cluster -o mine.yaml >said 2>&1
check 'three ranks are measured' test $? = 0
check 'every pair' says '3 devices, 3 pairs in 3 rounds'
check 'the cluster has a speed a device' grep -Eq '^speeds: \[[0-9.]+, [0-9.]+, [0-9.]+\]' mine.yaml
check 'a line a device' test "$(wc -l <mine.csv)" = 4
cat >x.yaml <<'Y'
model: {synthetic: {devices: 3, microbatches: 4, forward: 1 ms, backward: 2 ms, boundary: 1 MiB}}
cluster: mine.yaml
schedule: 1f1b
Y
"$program" simulate x.yaml >said 2>&1
check 'experiments take the cluster that was measured' test $? = 0

rm -f mine.*
many=12  # ranks, so that it takes much longer than it is left alone
mpirun "${options[@]}" -n $many "$program" calibrate --cluster -o mine.yaml >said 2>&1 &
job=$!
ranks=()
until (( ${#ranks[@]} == many )) || ! kill -0 "$job" 2>/dev/null; do
  sleep 0.2
  mapfile -t ranks < <(pgrep -P "$job")
done
sleep 4
kill -KILL "${ranks[1]}"
SECONDS=0
wait "$job"
check 'a rank that dies ends the run' test $? != 0
check 'soon' test "$SECONDS" -le 25
check 'the others name it' says 'nothing more from rank 1'
check 'and nothing is written' test ! -e mine.yaml
echo "1..$count"
