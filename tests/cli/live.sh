# shellcheck shell=bash
# 'replay': what runs live and what cannot.

tiny='model: {transformer: {layers: 4, hidden: 16, heads: 2, ffn: 32, vocabulary: 16}}
cluster: {devices: 2, device: {flops: {fp32: 1 TFLOP/s}, memory: 1 GiB, memory_bandwidth: 10 GB/s}, link: {latency: 1 us, bandwidth: 1 GB/s}}
parallel: {pipeline: 2}
batch: {global: 8, micro: 1, sequence: 16}
precision: fp32
schedule: 1f1b'

given x.yaml "$tiny"
expect 'a transformer is trained live and held against one device' 0 '*real compute*iteration*weights against training on one device: relative difference*' '' replay x.yaml
given x.yaml "$tiny"
expect 'so it is on meshes that are not alike' 0 '*real compute*weights against training on one device: relative difference*' '' replay x.yaml --set 'strategy=[{layers: 0-1, devices: 0-1, data: 2}, {layers: 2-3, devices: 2, data: 1}]' --set cluster.devices=3
given x.yaml "$tiny"
expect 'whose stages take turns' 0 '*interleaved-1f1b live on*waiting their predicted times*' '' replay x.yaml --compute timed --repeat 1 --set 'strategy=[{layers: [0, 2], devices: 0-1, data: 2}, {layers: [1, 3], devices: 2, data: 1}]' --set cluster.devices=3 --set schedule=interleaved-1f1b
given x.yaml "$tiny"
expect 'schedules train side by side' 0 '*mean training loss*1f1b*pipedream*' '' replay x.yaml --steps 4 --schedules 1f1b,pipedream --json r.json
holds 'several replays are a list' r.json '*"pipewright.replays/1"*"numerics"*"max_relative_difference"*'
holds 'each with how far predictions may be off' r.json '*"uncertainty": {*"regime": "times that the experiment gives"*'
given x.yaml "$tiny"
expect 'late gradients are compensated for' 0 '*mean training loss*spike_compensation true*weight_prediction difference*' '' replay x.yaml --steps 4 --set optimizer=momentum --schedules '[{name: pipelined-backprop, spike_compensation: true}, {name: pipelined-backprop, weight_prediction: difference}]' --set model.transformer.tied_embeddings=false
given x.yaml "$tiny"
expect 'which only momentum knows' 2 '' '*error: spike_compensation is of optimizer: momentum*' replay x.yaml --set 'schedule={name: pipelined-backprop, spike_compensation: true}' --set model.transformer.tied_embeddings=false
given x.yaml "$tiny"
expect 'timed compute waits as predicted' 0 '*waiting their predicted times*' '' replay x.yaml --compute timed --json r.json --trace t.json
holds 'its result has both sides' r.json '*"pipewright.replay/1"*"predicted"*"measured"*"iteration_time"*'
holds 'its trace as well' t.json '*"1f1b predicted, rank 0"*"1f1b predicted, rank 1"*"1f1b measured, rank 0"*"1f1b measured, rank 1"*'
given x.yaml "$tiny"
expect 'a trace holds every schedule' 0 '*gpipe live on*' '' replay x.yaml --compute timed --repeat 1 --schedules 1f1b,gpipe --trace t.json
holds 'predicted and measured' t.json '*"1f1b predicted, rank 1"*"1f1b measured, rank 1"*"gpipe predicted, rank 1"*"gpipe measured, rank 1"*'
expect 'a replay has no CSV' 2 '' 'error: replay writes --json, --trace and --html, no CSV and no folder' replay example --csv r.csv
expect 'and fills no folder' 2 '' 'error: replay writes --json, --trace and --html, no CSV and no folder' replay example -o made
given x.yaml "$tiny"
expect 'or as long as its kernels take here' 0 '*waiting their predicted times*' '' replay x.yaml --compute timed --profile measure
given x.yaml "$tiny"
expect 'real compute is predicted from its own ops' 0 "*real compute, predicted from each op's time alone*" '' replay x.yaml --profile measure
given x.yaml "$tiny"
expect 'or by a profile, and nothing is measured' 0 '*real compute, predicted as simulated*' '' replay x.yaml --profile auto
given x.yaml "$tiny"
expect 'so are kernels of its shapes' 0 "*kernels of the layers' shapes, predicted as simulated*" '' replay x.yaml --compute synthetic --profile auto
expect 'a synthetic model has nothing to measure' 0 '*waiting their predicted times*' '' replay example --profile measure --repeat 1
given x.yaml "$tiny"
expect 'a profile that is not there' 2 '' "*error: unknown profile 'nope'*" replay x.yaml --profile nope
expect 'larger partitions are of a GPU' 2 '' 'error: --measure-partitions needs --backend cuda' replay example --measure-partitions 2
expect 'and are measured' 2 '' "error: --measure-partitions needs '--profile measure'*" replay example --backend cuda --measure-partitions 2 --profile auto
expect 'where something computes' 2 '' 'error: --measure-partitions needs real or synthetic compute' replay example --backend cuda --measure-partitions 2
given x.yaml "$tiny"
expect 'RMSProp is an optimizer' 0 '*mean training loss*' '' replay x.yaml --steps 2 --set optimizer=rmsprop --schedules pipeoptim --set model.transformer.tied_embeddings=false
given x.yaml "${tiny/device: \{*\}, link/link}"
expect 'what is measured needs no device to predict by' 0 '*real compute*' '' replay x.yaml
given x.yaml "${tiny/device: \{*\}, link/link}"
expect 'what is not does' 2 '' 'x.yaml:2:10: error: the cluster must say which devices it has*' replay x.yaml --compute timed
given x.yaml 'traffic: [{from: 0, to: 1, bytes: 1 MB}]
cluster: {devices: 2, link: {latency: 1 us, bandwidth: 1 GB/s}}'
expect 'flows are not replayed' 2 '' 'x.yaml:1:10: error: traffic: it has no schedule and cannot be replayed' replay x.yaml --compute timed
# In each of two micro-batches and both slices: four sums a block and the head's, in two columns
# each; the embedding's and the loss's, which no product makes, whole: 2 x 2 x (2 x 17 + 2).
given x.yaml "$tiny"
expect 'columns within slices are timed live' 0 '*waiting their predicted times*tensor *144 *' '' replay x.yaml --compute timed --set 'parallel={tensor: 2}' --set batch.micro=4 --set 'overlap.tensor={domino: 2, columns: 2}'
given x.yaml "$tiny"
expect 'but not trained' 2 '' '*error: *overlap.tensor cannot be trained live*' replay x.yaml --compute real --set 'parallel={tensor: 2}' --set batch.micro=4 --set 'overlap.tensor={domino: 2, columns: 2}'
expect 'a synthetic model has nothing to compute' 2 '' '*error: a synthetic model has nothing to compute*' replay example --compute real
expect 'no steps are none to train' 2 '' 'error: --steps: a number from 1 to 100000' replay example --steps 0
expect 'steps need real compute' 2 '' 'error: --steps needs real compute*' replay example --steps 3
given x.yaml "$tiny"
expect 'what cannot be trained is named' 2 '' '*error: gated MLPs cannot be trained live*' replay x.yaml --set model.transformer.gated=true
given x.yaml "$tiny"
expect 'so is a head' 2 '' '*error: a head that tells classes cannot be trained live*' replay x.yaml --set model.transformer.classes=4 --set model.transformer.tied_embeddings=false
given x.yaml "$tiny"
expect 'so is a degree' 2 '' '*error: parallel.context: 2 cannot be trained live*' replay x.yaml --set parallel.pipeline=1 --set parallel.context=2
given x.yaml "$tiny"
expect 'and an optimizer' 2 '' "*error: optimizer 'lamb' cannot be run live*" replay x.yaml --set optimizer=lamb
given x.yaml "$tiny"
expect 'copies to a host are not replayed' 2 '' '*error: offload: copies to and from the host cannot be replayed by this version' replay x.yaml --set offload=activations
given x.yaml "$tiny"
expect 'neither are documents of unequal length' 2 '' '*error: batch.lengths: documents of unequal length cannot be replayed by this version' replay x.yaml --compute timed --set 'batch.lengths={mean: 8}'
expect 'a backend that is not there' 2 '' "error: --backend 'tpu'*" replay example --backend tpu
expect 'partitions are of a GPU' 2 '' 'error: --partitions needs --backend cuda' replay example --partitions 2
[[ -e /dev/nvidiactl ]] ||
  expect 'a GPU that is not there' 1 '' 'error: CUDA: *' replay example --backend cuda
expect 'compute that is not there' 2 '' "error: --compute 'magic'*" replay example --compute magic
given x.yaml "$tiny"
expect 'the shapes of an experiment are measured' 0 '* points, * of them known to 1 %*p.yaml*' '' calibrate --quick --for x.yaml -o p.yaml
holds 'everything that was measured is kept' p.csv 'kernel,direction,dtype,shape,*gemm,weight_gradient,fp32,*'
holds 'and the profile is one' p.yaml '*schema: pipewright.profile/1*origin: measured*points: p.points*held_out:*'
holds 'it says how kernels fare beside copies and how the machine stood' p.yaml '*conditions:*version: 1*beside:*what: copy*cache:*cold:*steadiness:*ranks:*'
given x.yaml "$tiny"
expect 'of a Llama the streaming kernels are its own' 0 "*of the memory's bandwidth, *rmsnorm forward *" '' calibrate --quick --for x.yaml -o p.yaml --set model.transformer.gated=true --set model.transformer.positions=rope --set model.transformer.norm=rmsnorm
holds 'its norm' p.csv '*rmsnorm,input_gradient,fp32,rows=16 columns=16,*'
holds 'its activation' p.csv '*swiglu,forward,fp32,elements=512,*'
holds 'its rotation' p.csv '*rotary,forward,fp32,tokens=16 heads=4 head_dim=8,*'
given x.yaml "$tiny"
expect 'a calibration has a page' 0 '' '' calibrate --quick --for x.yaml -o p.yaml --html p.html -q
holds 'with its points' p.html '*"kind":"calibration"*"held_out"*"conditions"*'
expect 'calibration on a GPU that is not there' 1 '' 'error: CUDA: *' calibrate --backend cuda
given x.yaml "${tiny/precision: fp32/precision: bf16}"
expect 'products of a CPU are in fp32, which is told before any is measured' 2 '' 'x.yaml:5:12: error: a CPU multiplies in fp32: --set precision=fp32' calibrate --quick --for x.yaml -o p.yaml --set cluster.device.flops.bf16=1TFLOP/s
expect 'a synthetic model has no kernels' 2 '' '*error: a synthetic model has no kernels*' calibrate --for example
expect 'a profile is YAML' 2 '' "error: -o 'p.txt': *" calibrate -o p.txt
given q.csv.part 'a,b,c'
expect 'a journal of something else is not written over' 2 '' 'q.csv.part:1:1: error: not a file of measured kernels*' calibrate -o q.yaml

# Simulations fold micro-batches that repeat others, from 1,024 of them on; a live run leaves none out.
given x.yaml 'model: {synthetic: {devices: 2, microbatches: 1100, forward: 200 us, backward: 200 us}}
cluster: {devices: 2, link: {latency: 0 s}}
schedule: 1f1b'
expect 'a live run has all its micro-batches' 0 '*forward *2200 *backward *2200 *' '' replay x.yaml --repeat 1

# A system without a library of the live program, as one that has the package without what it suggests.
whole=$program
mkdir "$work/lame"
cp "$whole" "$whole-live" "$work/lame"
LC_ALL=C sed -i 's/libstdc++\.so\.6/libstdc--.so.6/g' "$work/lame/pipewright-live"
program=$work/lame/pipewright
expect 'what the live commands lack is named' 1 '' "error: live commands need libstdc--.so.6, which this system lacks; *'apt-get install --install-suggests pipewright'" replay example
expect 'the others need nothing of it' 0 '1f1b:*' '' simulate example
program=$whole
