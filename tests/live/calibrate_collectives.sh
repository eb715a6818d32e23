#!/usr/bin/env bash
# 'calibrate --collectives' under mpirun, and what becomes of it when a rank is killed. Prints TAP.
#   usage: calibrate_collectives.sh PROGRAM
source "$(dirname "$(readlink -f "$0")")/tap.sh"
skip_without_mpi

"$program" calibrate --collectives >said 2>&1
check 'alone it is an input error' test $? = 2
check 'which says how to start it' says 'mpirun -n 8 pipewright calibrate --collectives'
"$program" calibrate --maxbytes 1MiB >said 2>&1
check 'its option is of no use without it' test $? = 2

mpirun "${options[@]}" -n 3 "$program" calibrate --collectives --quick -e 64KiB >said 2>&1
check 'three ranks are measured' test $? = 0
check 'the library is named' says 'MPI'
check 'over two ranks and over three' says 'all_reduce *3 *1 .* us .* GB/s'
# 2 groups, 6 operations, 8 B to 64 KiB by factors of 16: 5 sizes.
check 'a line a point' test "$(wc -l <cpu.collectives.csv)" = 61
check 'a time lies within its spread' awk -F, '
  NR > 1 && !(0 < $7 && $7 <= $6 && $6 <= $8) { wrong = 1 }
  END { exit wrong }' cpu.collectives.csv
check 'a profile is of NCCL alone' test ! -e cpu.yaml
check 'it is fitted, with the error at points held out' \
  says 'all_reduce (host): .* held out: 10 points, median error .* %'
check 'the lines are written' grep -q 'each_doubling: .* us' cpu.collectives.yaml
check 'a product is timed beside an all-reduce' \
  says 'beside all_reduce on 1 channel: gemm forward fp32 m=256 n=256 k=256 takes .* times as long'
check 'without conditions to put it under it says so' says 'cpu.yaml has no conditions'
# Times of a busy machine fall with the bytes, which is refused. These are of a quiet one.
awk -F, -v OFS=, 'NR > 1 { $6 = $7 = $8 = 1e-5 + $5 / 1e9 } { print }' cpu.collectives.csv >quiet.csv
"$program" collective '{devices: 3, link: {latency: 1 us, bandwidth: 10 GB/s}}' --against quiet.csv >said 2>&1
check 'they stand beside a prediction' test $? = 0

cat >there.yaml <<'YAML'
schema: pipewright.profile/1
origin: measured
device: some
conditions:
  version: 1
  launch: 1 us
  first_allocation: 1 ms
  next_allocation: 1 ms
  beside:
    - {kernel: gemm forward fp32 m=1 n=1 k=1, what: copy, channels: 1, alone: 1 us, beside: 1 us, moved: 1 GB/s, memory_share: 0.5}
    - {kernel: gemm forward fp32 m=1 n=1 k=1, what: broadcast, channels: 1, alone: 1 us, beside: 1 us, moved: 1 GB/s, memory_share: 0.5}
  cache: []
  steadiness: {}
  ranks: {count: 1}
YAML
mpirun "${options[@]}" -n 2 "$program" calibrate --collectives --quick -e 64KiB -o there.yaml >said 2>&1
check 'into a profile with conditions' test $? = 0
check 'what was measured beside copies stays' grep -q 'what: copy' there.yaml
check 'beside collectives it is new' grep -q 'what: all_reduce' there.yaml
check 'and the old is gone' test "$(grep -c 'what: broadcast' there.yaml)" = 0

mpirun "${options[@]}" -n 2 "$program" calibrate --collectives --backend cuda >said 2>&1
status=$?
if nvidia-smi >/dev/null 2>&1; then
  echo "ok $(( ++count )) - without a GPU it says so # SKIP there is one"
else
  check 'without a GPU it says so' test $status != 0 -a -n "$(grep -E 'CUDA|NCCL' said)"
fi

rm -f cpu.collectives.csv
mpirun "${options[@]}" -n 3 "$program" calibrate --collectives >said 2>&1 &
job=$!
ranks=()
until (( ${#ranks[@]} == 3 )) || ! kill -0 "$job" 2>/dev/null; do
  sleep 0.2
  mapfile -t ranks < <(pgrep -P "$job")
done
sleep 4
kill -KILL "${ranks[1]}"
SECONDS=0
wait "$job"
check 'a rank that dies ends the run' test $? != 0
check 'soon' test "$SECONDS" -le 45
check 'nothing is written' test ! -e cpu.collectives.csv
echo "1..$count"
