#!/usr/bin/env bash
# 'replay' under mpirun: ranks that are processes, and what becomes of them when one is killed, held
# or has something else to run. Prints TAP.
#   usage: processes.sh PROGRAM
source "$(dirname "$(readlink -f "$0")")/tap.sh"
skip_without_mpi
lines() { (( $(grep -c -- "$1" said) == $2 )); }

cat >x.yaml <<'Y'
model: {synthetic: {devices: 4, microbatches: 8, forward: 2 ms, backward: 4 ms, boundary: 100 KB}}
cluster: {devices: 4, link: {latency: 50 us, bandwidth: 1 GB/s}}
schedule: 1f1b
Y

SECONDS=0
mpirun "${options[@]}" -n 4 "$program" replay x.yaml --repeat 2 --json r.json --trace t.json \
  >said 2>&1
status=$?
# How long this machine takes to start ranks, at most.
begin=$(( SECONDS + 1 ))
check 'every rank is a process' test $status = 0
check 'the table says so' says '4 processes on 1 host'
check 'the first writes the result' grep -q '"pipewright.replay/1"' r.json
check 'and the trace' grep -q traceEvents t.json
check 'with what was predicted' grep -q '"1f1b predicted, rank 3"' t.json
check 'and what was measured' grep -q '"1f1b measured, rank 3"' t.json

# Of sends that hold the compute of one side or both, the end is told to ranks that do not see it.
for mode in sender rendezvous; do
  timeout 300 mpirun "${options[@]}" -n 4 "$program" replay x.yaml --repeat 30 \
    --set "overlap={p2p: $mode}" --schedules 1f1b,gpipe >said 2>&1
  check "p2p: $mode, 60 times" test $? = 0
done

cat >g.yaml <<'Y'
model: {transformer: {layers: 4, hidden: 32, heads: 2, ffn: 64, vocabulary: 64, tied_embeddings: false}}
cluster: {devices: 4, device: {flops: {fp32: 50 GFLOP/s}, memory: 1 GiB, memory_bandwidth: 10 GB/s},
          link: {latency: 5 us, bandwidth: 5 GB/s}}
parallel: {pipeline: 2, data: 2}
batch: {global: 16, micro: 2, sequence: 32}
precision: fp32
schedule: 1f1b
Y
mpirun "${options[@]}" -n 4 "$program" replay g.yaml --compute synthetic --schedules 1f1b,zb-h1 \
  --repeat 2 --json g.json >said 2>&1
check 'kernels of the layers run in every process' test $? = 0
check 'as the table says' says '^zb-h1 live on 4 processes .* kernels of the layers'
check 'and are predicted' grep -q '"compute": "synthetic"' g.json
mpirun "${options[@]}" -n 4 "$program" replay x.yaml --compute synthetic >said 2>&1
check 'times have no kernels' test $? != 0
check 'which is said once, too' lines 'which this model has none of' 1

# With a GPU for each of four ranks this would work.
if [[ ! -e /dev/nvidiactl ]]; then
  mpirun "${options[@]}" -n 4 "$program" replay x.yaml --backend cuda >said 2>&1
  check 'a GPU for each rank is not there' test $? != 0
  check 'which one line says, of the first rank' lines 'error: rank 0 on .*: CUDA: ' 1
fi
mpirun "${options[@]}" -n 4 "$program" replay x.yaml --backend cuda --partitions 2 >said 2>&1
check 'partitions are for ranks of one process' says 'error: --partitions cuts one GPU'

# Nothing stands in for a device that timed compute, which processes have unless asked, predicts by.
sed 's/device: {[^}]*}[^}]*}, *$//; s/^ *link:/          link:/' g.yaml >bare.yaml
mpirun "${options[@]}" -n 4 "$program" replay bare.yaml >said 2>&1
check 'timed compute needs a device to predict by' says 'the cluster must say which devices it has'
mpirun "${options[@]}" -n 4 "$program" replay bare.yaml --compute real --repeat 1 >said 2>&1
check 'what is measured does not' test $? = 0

mpirun "${options[@]}" -n 3 "$program" replay x.yaml >said 2>&1
check 'ranks and processes are as many' test $? != 0
check 'which is said once' lines 'the experiment has 4 ranks, but 3 processes' 1

mpirun "${options[@]}" -n 2 "$program" replay x.yaml : \
  -n 2 "$program" replay x.yaml --set schedule=gpipe >said 2>&1
check 'all have the same experiment' test $? = 1
check 'or every rank says who has not' lines 'rank 2 .* runs another experiment than rank 0' 4

mkdir other
cp "$program" "$(dirname "$program")/pipewright-live" other
echo >>other/pipewright-live
mpirun "${options[@]}" -n 3 "$program" replay x.yaml : -n 1 other/pipewright replay x.yaml \
  >said 2>&1
check 'all have the same program' test $? = 1
check 'or every rank says who has not that' lines 'rank 3 .* runs another build' 4

# ended PID ...: whether these processes have; mpirun may not have looked at them yet.
ended() {
  local pid
  for pid; do [[ ! -e /proc/$pid || $(ps -o state= -p "$pid") == Z ]] || return; done
}

# strike SIGNAL: rank 2 gets it in the middle of a long run. SECONDS is how long the others take to
# end.
strike() {
  rm -f t.json
  mpirun "${options[@]}" -n 4 "$program" replay x.yaml --watchdog 4 --trace t.json \
    --set model.synthetic.microbatches=5000 >said 2>&1 &
  local job=$!
  sleep $(( 3 + 2 * begin ))
  local ranks
  mapfile -t ranks < <(pgrep -P "$job")
  kill -"$1" "${ranks[2]}"
  SECONDS=0
  until ended "${ranks[@]:0:2}" "${ranks[3]}" || (( SECONDS > 30 )); do sleep 0.1; done
  local took=$SECONDS
  wait "$job"
  status=$?
  SECONDS=$took
}

strike KILL
check 'a rank that dies ends the run' test "$status" != 0
check 'in time' test "$SECONDS" -le $(( 8 + begin ))
check 'the others name it, and their op' says 'nothing more from rank 2 .* rank [013] '
check 'what ran is kept' grep -q '"ph"' t.json

strike STOP
check 'a rank that hangs ends the run' test "$status" = 1
check 'in the time of the watchdog' test "$SECONDS" -le $(( 12 + begin ))
check 'rank 0 names it, and its op' \
  says 'nothing heard for 4 s from rank 2 .*; rank 0 \(waits\|is\) at'
check 'so does rank 3' says 'from rank 2 .*; rank 3 \(waits\|is\) at'
check 'and what ran is kept' grep -q '"ph"' t.json
# Before MPI has brought the ranks together a rank that never comes holds the others.
SECONDS=0
timeout 120 mpirun "${options[@]}" -n 1 "$program" replay x.yaml : -n 3 sleep 100 >said 2>&1
status=$?
check 'a rank that is another program ends the run' test "$status" = 1
check 'in time' test "$SECONDS" -le $(( 45 + begin ))
check 'which is said' says 'error: not all ranks were there after 30 s'

mpirun "${options[@]}" -n 1 "$program" replay g.yaml --compute real --seed 2 \
  : -n 3 "$program" replay g.yaml --compute real --seed 3 >said 2>&1
check 'ranks with another seed do not train' test $? = 1
check 'and which is named' says 'rank 1 .* has another --seed or --learning-rate than rank 0'
echo "1..$count"
