# shellcheck shell=bash
# What is written is whole, goes where it was asked to, and says the same every time.

small='model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}
cluster: {devices: 4, link: {latency: 0 s}}
schedule: 1f1b'

# 1F1B takes (m + p - 1) (f + b): 11 times 3 ms.
given x.yaml "$small"
expect 'a summary says the time' 0 '*33 ms*rank 0*' '' simulate x.yaml
input "$small"
expect 'an experiment may come from standard input' 0 '*33 ms*' '' simulate -
given x.yaml "$small"
expect 'JSON on standard output is alone there' 0 '{*"schema": "pipewright.result/1"*"iteration_time_s": 0.033*}' '' simulate x.yaml --json -
given x.yaml "$small"
expect 'CSV is a header and a line' 0 $'schedule,*iteration_time_s,*\n1f1b,*,0.033,*' '' simulate x.yaml --csv -
given x.yaml "$small"
expect 'a quiet run prints nothing' 0 '' '' simulate x.yaml --quiet --json out.json
holds 'and writes what it was asked for' out.json '{*"schema": "pipewright.result/1"*}'
given x.yaml "$small"
expect '-o writes everything into a folder' 0 '*' '' simulate x.yaml -o made
holds 'the result' made/result.json '{*}'
holds 'the trace' made/trace.json '*"traceEvents"*]*}'
holds 'the page' made/report.html '<!DOCTYPE html>*"pipewright.result/1"*</html>*'
holds 'the table' made/result.csv $'schedule,*\n1f1b,*'
given x.yaml "$small"
given out.json 'what was there'
expect 'a file is replaced' 0 '*' '' simulate x.yaml --json out.json
holds 'as a whole' out.json '{*}'
given x.yaml "$small"
given out.json 'what was there'
expect 'a run that fails leaves it as it was' 2 '' '*' simulate x.yaml --json out.json --set schedule=frob
holds 'to the byte' out.json 'what was there'
given x.yaml "$small"
expect 'a folder that is not there cannot be written to' 1 '' "error: *'nowhere/out.json'*" simulate x.yaml --quiet --json nowhere/out.json
given x.yaml "$small"
expect 'a full disk is a failure' 1 '*' 'error: *No space left*' simulate x.yaml --quiet --json /dev/full
expect 'a comparison ranks and recommends' 0 'schedule*1f1b*Take *' '' compare --schedules 1f1b,zb-h1
expect 'a comparison in JSON has a list' 0 '{*"schema": "pipewright.results/1"*"results": \[*}' '' compare --schedules 1f1b,zb-h1 --json -
expect 'Markdown has a heading and tables with pipes' 0 $'# Schedules compared\n\n| schedule | iteration |*\n|---|---:|*\n| zb-h1 | *' '' compare --schedules 1f1b,zb-h1 --format markdown
given x.yaml "$small"
expect 'so has a summary, whose timeline keeps its columns' 0 $'# 1f1b: a synthetic model*\n|  |  |\n|---|---|\n*| iteration time | 33 ms |*| rank | peak |*```text\n*rank 0*```*' '' simulate x.yaml --format markdown
expect 'a collective has its units in the header' 0 $'# all_reduce on dgx-h100*\n| size (B) | time (us) |*\n| 1024 |*\n- Avg bus bandwidth *' '' collective dgx-h100 -b 1K -e 1M --format markdown
expect 'a schedule that does not fit is a row with its reason' 0 '*1f1b*chimera needs*' '' compare --schedules '[1f1b, chimera]' --set model.synthetic.devices=3 --set cluster.devices=3
given x.yaml "$small"
expect 'an order goes out as CSV' 0 $'0F0,0F1*\n*\n*\n3F0,3B0*' '' export torch-csv x.yaml
given order.csv $'0F0,0F1,0B0,0W0,0B1,0W1\n1F0,1BW0,1F1,1BW1'
expect 'the old notation of an order is brought up to date' 0 $'0F0,0F1,0I0,0W0,0I1,0W1\n1F0,1B0,1F1,1B1' '' import torch-csv order.csv

# What goes wrong: runs by seed, and failures.
given x.yaml 'model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}
cluster: {devices: 4, link: {latency: 0 s}}
schedule: 1f1b
variation: {compute_spread: 3%, seeds: 5}
failures: {device_mtbf: 50000 h, checkpoint_interval: 30 min, checkpoint_time: 60 s, restart_time: 10 min}'
expect 'variation and failures are in the result' 0 '*"p10_s":*"p50_s":*"p90_s":*"p95_s":*"goodput_fraction": 0.96*' '' simulate x.yaml --json -
given s.yaml 'experiment: {model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}, cluster: {devices: 4, link: {latency: 0 s}}, schedule: 1f1b}
vary: {variation: [{compute_spread: 1%}, {compute_spread: 9%}], failures.device_mtbf: [1000 h, 90000 h]}
objective: [p90_s, goodput_fraction]'
expect 'both are axes of a sweep' 0 '*p90*' '' sweep s.yaml --set 'experiment.failures={device_mtbf: 1 h, checkpoint_time: 60 s}' --jobs 2

# What other tools write.
expect 'a schema is JSON Schema' 0 '{*"https://json-schema.org/draft/2020-12/schema"*"interleaved-1f1b"*' '' schema experiment
given run.sh 'ARGS="--num-layers 4 --hidden-size 256 --num-attention-heads 4 --seq-length 128 --micro-batch-size 1"
torchrun --nproc_per_node 8 --nnodes 1 pretrain_gpt.py $ARGS --lr 1e-4 --bf16'
expect 'a launch script is an experiment' 0 '*# does not matter here: --lr 1e-4*layers: 4*cluster:*' '' import megatron-args run.sh
given run.sh 'pretrain_gpt.py --num-layers 4 --hidden-size 256 --num-attention-heads 4 --seq-length 128 --micro-batch-size 1'
expect 'and says itself what it is' 0 '*layers: 4*' 'run.sh: taken for megatron-args, *' import run.sh
given run.sh 'torchrun --nproc_per_node 8 --nnodes $NODES pretrain_gpt.py --num-layers 4 --hidden-size 256 --num-attention-heads 4 --seq-length 128 --micro-batch-size 1'
expect 'what it takes from outside may be given' 0 '*nodes: 4*' '' import megatron-args run.sh --define NODES=4
given job.yaml 'model: {transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1024}}
cluster: {node: dgx-h100, nodes: 1, fabric: {kind: fat-tree, link: ndr, nics: 8}}
batch: {global: 16, micro: 1, sequence: 128}
schedule: 1f1b'
expect 'a job goes out' 0 '' '' export megatron-args job.yaml -o job.sh
holds 'with what it does not say' job.sh '*# pipewright| cluster:*--num-layers *torchrun *'
given graph.txt 'node1 -- Conv -- forward_compute_time=4.0, backward_compute_time=8.0, activation_size=1024.0, parameter_size=4000.0
node2 -- Linear -- forward_compute_time=4.0, backward_compute_time=8.0, activation_size=1024.0, parameter_size=4000.0
	node1 -- node2'
expect 'a profile is a model' 0 '' '' import pipedream graph.txt -o model.yaml
holds 'with the times that were measured' model.yaml '*forward: 4 ms*backward: 8 ms*'
own_rules='placement: linear
warm_up: {repeat: "min(p - 1 - i, m)", do: F}
steady: {repeat: "m - min(p - 1 - i, m)", do: F B}
drain: {repeat: "min(p - 1 - i, m)", do: B}'
expect 'a list of schedules may begin with a space' 0 'schedule*1f1b*Take *' '' compare --schedules ' [1f1b, gpipe]'
expect 'a list of schedules may be in lines' 0 'schedule*1f1b*Take *' '' compare --schedules $'- 1f1b\n- {name: interleaved-1f1b, virtual: 2}'
given rules.yaml "$own_rules"
expect 'one map is a list of schedules' 0 '*rules.yaml *' '' compare example --schedules '{rules: rules.yaml}'
given rules.yaml "$own_rules"
expect 'maps stand beside names' 0 '*rules.yaml *' '' compare example --schedules 'gpipe, {rules: rules.yaml}'
expect 'little is printed, but a form that is asked for is' 0 '{*"pipewright.result/1"*' '' simulate example -q --format json
expect 'without one nothing is' 0 '' '' simulate example -q
