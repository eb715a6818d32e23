#!/usr/bin/env bash
# 'replay --compute real' as a user starts it: what is cut inside its layers, on threads and, under
# mpirun, over processes; every time the weights are held against training on one device. Prints TAP.
#   usage: real.sh PROGRAM
source "$(dirname "$(readlink -f "$0")")/tap.sh"

# The largest relative difference of the weights that every replay in r.json found is below 1e-5.
trained() {
  python3 - "$1" <<'P'
import json, sys
document = json.load(open("r.json"))
replays = document.get("replays", [document])
found = [replay["numerics"]["max_relative_difference"] for replay in replays]
sys.exit(len(found) != int(sys.argv[1]) or not all(one < 1e-5 for one in found))
P
}

device='{flops: {fp32: 50 GFLOP/s}, memory: 1 GiB, memory_bandwidth: 10 GB/s}'
cluster() { echo "cluster: {devices: $1, device: $device, link: {latency: 5 us, bandwidth: 5 GB/s}}"; }
gpt() {
  echo 'model: {transformer: {layers: 4, hidden: 32, heads: 4, ffn: 64, vocabulary: 64}}'
  cluster "$1"
  echo "parallel: {$2}"
  echo 'batch: {global: 16, micro: 4, sequence: 16}'
  echo 'precision: fp32'
  echo 'optimizer: momentum'
  echo 'schedule: 1f1b'
}
cnn() {
  echo 'model: {cnn: {input: [1, 28, 28], layers: [conv 6 5x5, max-pool 2x2 /2, conv 16 5x5 valid,'
  echo '                                           max-pool 2x2 /2, dense 20, dense 10]}}'
  cluster "$1"
  echo "parallel: {$2}"
  echo 'batch: {global: 16, micro: 4}'
  echo 'precision: fp32'
  echo 'optimizer: momentum'
  echo 'schedule: 1f1b'
}
gpt 8 'tensor: 8, tensor_kind: 3d' >cube.yaml
cnn 4 'pipeline: 2, spatial: 2' >strips.yaml

"$program" replay cube.yaml --compute real --steps 20 --json r.json --set batch.global=4 \
  --set model.transformer.layers=2 >said 2>&1
check 'a transformer trains on a cube of ranks' test $? = 0
check 'to the weights of one device' trained 1
"$program" replay strips.yaml --compute real --steps 20 --schedules 1f1b,gpipe --json r.json \
  >said 2>&1
check 'a convolutional network trains over strips of its images' test $? = 0
check 'to the weights of one device' trained 2

"$program" replay cube.yaml --compute real --set parallel.tensor_kind=2.5d --set parallel.tensor=4 \
  --set cluster.devices=4 >said 2>&1
check 'a square is not trained live' test $? = 2
check 'in a line' says 'a tensor_kind other than 1d and 3d cannot be trained live'
"$program" replay cube.yaml --compute real --set model.transformer.heads=3 >said 2>&1
check 'nor is what a cube does not divide' test $? = 2
"$program" replay cube.yaml --compute real --set schedule=pipelined-backprop \
  --set parallel.pipeline=2 --set cluster.devices=16 --set model.transformer.tied_embeddings=false >said 2>&1
check 'nor backward passes that read other weights' test $? = 2
check 'which is said' says 'tensor_kind 3d keeps the weights that a forward pass gathered'
"$program" replay strips.yaml --compute real --set recompute=full >said 2>&1
check 'nor strips that recompute' test $? = 2
check 'which is said, too' says 'parallel.spatial: 2 with recompute cannot be trained live'
"$program" replay strips.yaml --compute real --set 'boundary={compress: int8}' >said 2>&1
check 'nor messages that are compressed' test $? = 2
check 'which is said as well' says 'what stages send each other is not compressed live'

finish() { echo "1..$count"; exit; }
has_mpi || finish

# over NAME PROCESSES FILE REPLAYS OPTION ...
over() {
  local name=$1 processes=$2 file=$3 replays=$4
  shift 4
  rm -f r.json
  mpirun "${options[@]}" -n "$processes" "$program" replay "$file" --compute real --steps 4 \
    --watchdog 60 --json r.json "$@" >said 2>&1
  check "$name, over processes" test $? = 0
  check 'trains to the weights of one device' trained "$replays"
}
gpt 4 'pipeline: 2, data: 2' >data.yaml
gpt 4 'pipeline: 2, tensor: 2' >line.yaml
cat >lstm.yaml <<Y
model: {recurrent: {hidden: 16, layers: 4, vocabulary: 32}}
$(cluster 4)
parallel: {pipeline: 4}
batch: {global: 16, micro: 2, sequence: 12}
precision: fp32
schedule: 1f1b
Y
over 'a transformer with pipeline and data parallelism' 4 data.yaml 2 --schedules 1f1b,zb-h1
check 'which the table says' says '^1f1b live on 4 processes on 1 host, real compute'
over 'one with tensor parallelism' 4 line.yaml 1
over 'one on a cube' 8 cube.yaml 1 --set batch.global=4 --set model.transformer.layers=2
over 'strips of images' 4 strips.yaml 1
over 'an LSTM' 4 lstm.yaml 2 --schedules 1f1b,pipedream --set optimizer=momentum
over 'a perceptron' 2 live-mlp 1
mpirun "${options[@]}" -n 4 "$program" replay data.yaml --steps 4 >said 2>&1
check 'training has to be asked for' says '--steps needs --compute real'
# With a GPU for each of two ranks this would train.
if [[ ! -e /dev/nvidiactl ]]; then
  mpirun "${options[@]}" -n 2 "$program" replay data.yaml --compute real --backend cuda \
    --set parallel.data=1 --set cluster.devices=2 >said 2>&1
  check 'without GPUs nothing trains between them' test $? != 0
  check 'which one line says, of the first rank' test "$(grep -c 'error: rank 0 on .*: CUDA: ' said)" = 1
fi
finish
