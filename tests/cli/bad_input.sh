# shellcheck shell=bash
# Whatever is wrong is one line that says where and what would be right.

small='model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}
cluster: {devices: 4, link: {latency: 1 us}}
schedule: 1f1b'

expect 'an experiment that is not there is named' 2 '' "error: *'nowhere.yaml'*" simulate nowhere.yaml
expect 'a folder is not an experiment' 2 '' "error: *'./'*" simulate ./
expect 'an experiment that the catalogue does not have is named' 2 '' '*nothing-like-it*' simulate nothing-like-it
given empty.yaml ''
expect 'an empty file is not an experiment' 2 '' 'empty.yaml:1:1: error: is empty: YAML is expected' simulate empty.yaml
given empty.yaml ''
expect 'nor a job' 2 '' 'empty.yaml:1:1: error: is empty: a job is expected' import megatron-args empty.yaml
given empty.yaml ''
expect 'nor anything that is imported' 2 '' 'empty.yaml:1:1: error: is empty' import empty.yaml
given folder/x.txt ''
expect 'a folder is told as one' 2 '' "error: 'folder' is a folder, and a file is needed" simulate folder
given folder/x.txt ''
expect 'also where files are checked' 2 '' "error: 'folder' is a folder, and a file is needed" check folder
fresh
ln -s loop "$work/here/loop"
expect 'a link to itself cannot be read' 2 '' "error: cannot read file 'loop'" simulate loop
fresh
ln -s loop "$work/here/loop"
expect 'nor imported' 2 '' "error: cannot read file 'loop'" import loop
for section in model cluster profile; do
  given empty.yaml '# nothing'
  given x.yaml "$small"
  expect "an empty file is no $section" 2 '' "empty.yaml:1:1: error: is empty: YAML is expected" simulate x.yaml --set "$section=empty.yaml"
done
given empty.yaml '# nothing'
given x.yaml "$small"
expect 'an empty file has no rules' 2 '' 'empty.yaml:1:1: error: a rules file must be a map*' simulate x.yaml --set 'schedule={rules: empty.yaml}'
given x.yaml "$small"$'\nparallel:\nbatch:'
expect 'a section left empty is named at its key' 2 '' 'x.yaml:4:1: error: parallel must be a map*' simulate x.yaml
given broken.yaml 'model: [1, 2'
expect 'broken YAML names its place' 2 '' 'broken.yaml:[12]:*: error: *' simulate broken.yaml
given half.yaml "${small:0:60}"
expect 'a half-written file names its place' 2 '' 'half.yaml:*:*: error: *' simulate half.yaml
given binary.yaml $'\x7fELF\x02\x01\xff\xfe'
expect 'a binary file is refused' 2 '' 'binary.yaml:*error: *' simulate binary.yaml
given x.yaml "${small/schedule/shedule}"
expect 'a misspelt key is guessed' 2 '' "x.yaml:3:1: error: unknown key 'shedule'; did you mean 'schedule'[?]" simulate x.yaml
given x.yaml "$small"$'\nschedule: gpipe'
expect 'a key given twice is an error' 2 '' 'x.yaml:4:1: error: *schedule*' simulate x.yaml
given x.yaml "${small/1 ms/1 GB}"
expect 'a wrong unit says what would be right' 2 '' "x.yaml:1:*: error: '1 GB'*a time such as*" simulate x.yaml
given x.yaml "${small/1 ms/-1 ms}"
expect 'a negative time is refused' 2 '' 'x.yaml:1:*: error: *' simulate x.yaml
given x.yaml "${small/microbatches: 8/microbatches: 0}"
expect 'no micro-batches are refused' 2 '' 'x.yaml:1:*: error: *' simulate x.yaml
given x.yaml "${small/microbatches: 8/microbatches: 99999999999999999999}"
expect 'a number beyond all range is refused' 2 '' 'x.yaml:1:*: error: *' simulate x.yaml
given x.yaml "${small/1f1b/\{name: 1f1b, frobs: 3\}}"
expect 'an option that a schedule does not have is refused' 2 '' "x.yaml:3:*: error: *'frobs'*" simulate x.yaml
given x.yaml "${small/1f1b/zb-hl}"
expect 'a misspelt schedule is named' 2 '' "x.yaml:3:*: error: unknown schedule 'zb-hl'*" simulate x.yaml
given x.yaml "${small//devices: 4/devices: 3}"
expect 'a shape that a schedule cannot serve says why' 2 '' '*error: chimera needs an even number of ranks, not 3' simulate x.yaml --set schedule=chimera
given x.yaml "$small"
expect 'a bad --set names itself' 2 '' '--set *1 GB*error: *' simulate x.yaml --set 'model.synthetic.forward=1 GB'
given x.yaml "$small"
expect 'a --set of an unknown key names itself' 2 '' "--set shedule=1f1b:1:1: error: unknown key 'shedule'; did you mean 'schedule'[?]" simulate x.yaml --set shedule=1f1b
given x.yaml "$small"
expect 'a --set of nothing names itself' 2 '' '--set model=:1:1: error: must be the name of a model*' simulate x.yaml --set model=
given x.yaml "$small"
expect 'a --set without a value says its form' 2 '' '*--set*key.path=value*' simulate x.yaml --set schedule
given x.yaml "${small//devices: 4, microbatches: 8/devices: 2, microbatches: 2}"
printf '0F0,0F1,0B1,0B0\n1F1,1F0,1B1,1B0\n' >"$work/here/crossed.csv"
expect 'a deadlock is a failure that names its cycle' 1 '' 'error: deadlock: rank * waits for *' simulate x.yaml --set schedule=torch-csv:crossed.csv --set overlap.p2p=rendezvous
given x.yaml "$small"
expect 'no schedule that fits is an error' 2 '' '*error: chimera*' compare x.yaml --schedules chimera --set model.synthetic.devices=3 --set cluster.devices=3
given x.yaml "$small"
expect 'an unknown schedule of a comparison is an error' 2 '' "*unknown schedule 'frob'*" compare x.yaml --schedules 1f1b,frob
expect 'a model with more stages than layers is refused' 2 '' '*error: *' simulate gpt3-175b-selene --set model=gpt2-small --set parallel.pipeline=96 --set parallel.tensor=1 --set parallel.data=8
given x.yaml $'model: gpt2-small\ncluster: {node: dgx-1-v100-16g, nodes: 1}\nschedule: 1f1b'
expect 'a precision that a device does not have is told' 2 '' "x.yaml:2:10: error: device 'v100*' has no peak for the precision bf16; it has fp32, fp16" simulate x.yaml
given order.csv $'0F0,0B0\n1B0,1F0'
expect 'an order that can never run is refused' 2 '' 'order.csv:*error: *' import torch-csv order.csv
given order.csv $'0F0,0F1,0B0\n1F0,1B0'
expect 'an order that lacks a pass is refused' 2 '' 'order.csv*error: *' import torch-csv order.csv
given order.csv ''
expect 'an order without a rank is refused' 2 '' 'order.csv:1:1: error: is empty; every row is a rank' import torch-csv order.csv
given order.csv $'0F0,0Q0'
expect 'a cell that means nothing names its place' 2 '' 'order.csv:1:5: error: *0Q0*' import torch-csv order.csv
given order.csv $'0F0,0B0\n0F0,1B0'
expect 'a forward on two ranks is named' 2 '' 'order.csv:2:1: error: 0F0 is given twice, on ranks 0 and 1' import torch-csv order.csv
given order.csv $'0F0,0F0,0B0\n1F0,1B0'
expect 'a forward that stands twice on a rank is named' 2 '' 'order.csv:1:5: error: 0F0 is given twice, both times on rank 0' import torch-csv order.csv
given order.csv $'0F0,0B0\n1F0,1B0'
expect 'a CSV of passes is no experiment' 2 '' "order.csv:1:1: error: has no keys; 'pipewright import torch-csv order.csv' reads PyTorch's CSV of a schedule" check order.csv
given rules.yaml 'placement: linear
warm_up:
  - {repeat: 1, do: F?}'
expect 'a text with a question mark needs quotes in a map' 2 '' "rules.yaml:3:*: error: not YAML: unknown token; *needs quotes" check rules.yaml
given rules.yaml 'placement: linear
slots: {F: 2 * b + s, B: abs(b)}'
expect 'an unknown function lists those there are' 2 '' "rules.yaml:2:26: error: unknown function 'abs'; there are min, max, if" check rules.yaml
given rules.yaml 'placement: 0
priority: {F: 1, B: 0}'
expect 'a rank without a stage is refused' 2 '' 'rules.yaml:1:12: error: no stage lies on rank 1; each of the 4 ranks needs one' check rules.yaml
given rules.yaml 'placement: v-shape
virtual: 2
priority: {F: 0, B: 1, memory_cap: 1}'
given x.yaml "$small"
expect 'a cap that stops all says by how much it is short' 2 '' 'rules.yaml:3:36: error: rank * may hold 1 activations, and then no rank can go on; 1 more on every rank, *' simulate x.yaml --set 'schedule={rules: rules.yaml}' --set model.synthetic.microbatches=1
given x.yaml "$small"
expect 'a fraction out of range is shown one that is in it' 2 '' "*'0.5' must be a fraction such as 0.05 or 5%, from 0 to 0.1" simulate x.yaml --set 'network={flow: {tolerance: 0.5}}'
given study.yaml 'experiment: x.yaml
vary: {schedule: [1f1b, gpipe]}'
expect 'keys of an experiment that is a name are told how to be set' 2 '' "error: --set experiment.iterations=2: the study names 'x.yaml'; with 'experiment: {base: x.yaml}' *" sweep study.yaml --set experiment.iterations=2
given study.yaml 'experiment: x.yaml
vary: {schedule: [1f1b, gpipe]}'
expect 'and those that stand where the study has its own' 2 '' "error: --set experiment.iterations=2: the study names 'x.yaml'; with 'experiment: {base: x.yaml}' *" sweep study.yaml --set iterations=2
given study.yaml 'experiment: {base: example}
vary: {schedule: [1f1b, gpipe]}'
expect 'also those of a base' 2 '' "error: --set cluster.devices=2: 'cluster' is a key of the study's experiment: --set experiment.cluster.devices=2 sets it" sweep study.yaml --set cluster.devices=2
expect 'a schedule that is given twice is refused' 2 '' "--schedules:1:7: error: '1f1b' is given twice" compare --schedules 1f1b,1f1b
given my.yaml 'name: mine'
expect 'rules without an order are refused' 2 '' '*my.yaml:*error: *' compare --schedules '[{rules: my.yaml}]'
expect 'a program as a schedule must be allowed' 2 '' '*error: *--allow-commands*' compare --schedules '[{command: "true"}]'
given x.yaml "$small"$'\nvariation: {compute_spread: 3 s}'
expect 'a spread is a fraction' 2 '' 'x.yaml:4:29: error: *' simulate x.yaml
given x.yaml "$small"$'\nfailures: {device_mtbf: 0 h, checkpoint_time: 1 s}'
expect 'devices that always fail are refused' 2 '' 'x.yaml:4:25: error: device_mtbf*' simulate x.yaml
given x.yaml "$small"$'\nfailures: {device_mtbf: 5 GB}'
expect 'check says of a bad value nothing more' 2 '' "x.yaml:4:25: error: '5 GB'*" check x.yaml
expect 'a schema of nothing is refused' 2 '' "error: unknown kind 'experimnt'; did you mean 'experiment'[?]" schema experimnt
given run.sh 'pretrain_gpt.py --num-layers many'
expect 'an argument that is no number names its place' 2 '' 'run.sh:1:30: error: --num-layers needs a whole number*' import megatron-args run.sh
given run.sh 'pretrain_gpt.py --num-layers $L'
expect 'a variable that nobody sets is asked for' 2 '' 'run.sh:1:30: error: --num-layers hangs on * --define L=VALUE' import megatron-args run.sh
given run.sh 'pretrain_gpt.py --num-layers 4'
expect 'a definition of nothing is refused' 2 '' "error: --define L: must be NAME=VALUE" import megatron-args run.sh --define L
given ds.json '{"train_batch_size": 8}'
expect 'a job of DeepSpeed that says no model is told what would' 2 '' 'ds.json:1:1: error: nothing here says the model: give its Hugging Face config.json as a further FILE, or --model NAME of the catalogue' import deepspeed ds.json
given job.toml '[model'
expect 'TOML that breaks off is told at its line' 2 '' 'job.toml:1:*: error: this is no TOML*' import torchtitan job.toml
expect 'a job of nobody is refused' 2 '' "error: --write a:b: 'a' must be one of *" plan example --write a:b
given graph.txt 'node1 is nothing'
expect 'a profile that is none names its line' 2 '' 'graph.txt:1:1: error: a node is *' import pipedream graph.txt
given trace.json '{"traceEvents": [}'
expect 'a trace that is no JSON names its place' 2 '' 'trace.json:1: error: an event of a trace is an object' import kineto trace.json
given x.sqlite 'not a database'
expect 'an export that is none is refused' 2 '' 'x.sqlite: error: *' import nsys x.sqlite
expect 'a page of what has none' 2 '' 'error: check writes no --html*' check example --html page.html
expect 'results of an export' 2 '' 'error: export writes no --json*' export goal example --json r.json

apart='{node: dgx-h100, nodes: 2, fabric: {kind: graph, links: [{between: [node 0, switch 0], link: hdr}]}}'
given x.yaml "model: gpt2-small
cluster: $apart
batch: {global: 64}
schedule: 1f1b"
expect 'a node that no link reaches is told at the fabric' 2 '' 'x.yaml:2:45: error: no route from device 0 to device 8: *' simulate x.yaml
given x.yaml "model: gpt2-small
cluster: $apart
batch: {global: 64}
schedule: 1f1b"
expect 'as by check' 2 '' 'x.yaml:2:45: error: no route from device 0 to device 8: *' check x.yaml
expect 'and by collective' 2 '' 'CLUSTER:1:36: error: no route from device 0 to device 8: *' collective "$apart"

two_stages='model: {transformer: {layers: 24, hidden: 1024, heads: 16, vocabulary: 1024}}
cluster: {node: dgx-h100, nodes: 1}
parallel: {pipeline: 2}
batch: {sequence: 128}
schedule: 1f1b'
given x.yaml "$two_stages"
expect 'more layers to run again than a stage has' 2 '' "*: error: recompute.layers: 40 layers of a stage that has 12 at the most; 'recompute: full' runs all again" simulate x.yaml --set 'recompute={layers: 40}'
given x.yaml "$two_stages"
expect 'as many as it has' 0 '*iteration time*' '' simulate x.yaml --set 'recompute={layers: 12}'
expect 'a mesh beyond the cluster is named where it stands' 2 '' '--set strategy.1.devices=8-15:1:1: error: device 15 is not there: the cluster has 12' simulate gpt3 --set strategy.1.devices=8-15
expect 'layers left out are named' 2 '' '--set strategy.1.layers=12-31:1:1: error: layer 11 is in no stage*' simulate gpt3 --set strategy.1.layers=12-31

hosted='model: gpt2-small
cluster: {node: dgx-1-v100-16g, nodes: 1}
parallel: {data: 8}
batch: {global: 64, micro: 1, sequence: 1024}
precision: fp16
schedule: 1f1b'
expect 'what an offload may be is told' 2 '' "--set offload.optimizer=true:1:1: error: offload is a word such as 'optimizer', a list of words, or a map with 'modules'" simulate gpt3-175b-selene --set offload.optimizer=true
expect 'meshes of their own keep all on their devices' 2 '' "--set offload=optimizer:1:1: error: offload: stages with meshes of their own*" simulate gpt3 --set offload=optimizer
expect 'and want whole sequences' 2 '' '*error: batch.lengths needs stages that are alike*' simulate gpt3 --set 'batch.lengths={mean: 512}'
given x.yaml "$hosted"
expect 'copies to a host are not exported' 2 '' '*error: offload: copies to and from the host cannot be exported by this version' export goal x.yaml --set offload=optimizer
given x.yaml "$hosted"
expect 'neither are documents of unequal length' 2 '' '*error: batch.lengths: documents of unequal length cannot be exported by this version' export chakra x.yaml -o made --set 'batch.lengths={mean: 512}'

# What would be right is said where only the user can know it.
given folder/x.txt ''
given x.yaml 'model: ./folder
cluster: {node: dgx-h100, nodes: 1}
batch: {global: 8, micro: 1, sequence: 128}
schedule: 1f1b'
expect 'a folder is no model without its configuration' 2 '' "x.yaml:1:8: error: the folder './folder' has no config.json: *" simulate x.yaml
expect 'a model without layers cannot be planned' 2 '' '*error: plan needs a model with layers*' plan example

# Readers end, and what they echo is short and cannot steer a terminal.
expect 'a file without an end' 2 '' "error: file '/dev/zero' is larger than 64 MiB, the most that is read" simulate /dev/zero
expect 'nor an order' 2 '' "error: file '/dev/zero' is larger than 64 MiB, *" import torch-csv /dev/zero
expect 'nor measured times' 2 '' "error: file '/dev/zero' is larger than 64 MiB, *" collective dgx-h100 --against /dev/zero
given x.yaml 'base: example
batch: {lengths: {file: /dev/zero}}'
expect 'nor lengths of documents' 2 '' "x.yaml:2:*: error: file '/dev/zero' is larger than 64 MiB, *" simulate x.yaml

given bomb.yaml 'a: &a [x, x, x, x, x, x, x, x, x]
b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]
e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]
f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]
g: [*f, *f, *f, *f, *f, *f, *f, *f, *f]'
expect 'aliases that multiply' 2 '' 'bomb.yaml:*: error: the document*s aliases unfold to more than 64 MiB' simulate bomb.yaml

expect 'an escape sequence is shown, not sent' 2 '' '*nonesuch?x1b?2J*' simulate $'nonesuch\e[2J'
expect 'two forms on standard output' 2 '' "error: --json and --csv both name '-': each needs a file of its own" simulate example --json - --csv -
expect 'nor under two names' 2 '' "error: --csv and --html both name './out': each needs a file of its own" simulate example --csv out --html ./out
for option in --json --csv --html --trace -o; do
  given x.yaml "$small"
  expect "$option would overwrite what is read" 2 '' "error: --* x.yaml would overwrite './x.yaml', which is read: write to another file" simulate ./x.yaml $option x.yaml
done
given x.yaml "$small"
mkdir -p "$work/here/model"
printf '{"model_type": "llama", "num_hidden_layers": 2}' > "$work/here/model/config.json"
expect 'nor over the model that an experiment names' 2 '' "error: --json model/config.json would overwrite '*/model/config.json', which the experiment names: write to another file" simulate x.yaml --set model=./model --json model/config.json
given x.yaml "$small"
ln -s x.yaml "$work/here/link.yaml"
expect 'through a link neither' 2 '' "error: --json link.yaml would overwrite 'x.yaml', *" simulate x.yaml --json link.yaml
holds 'it stays' x.yaml "$small"
expect 'two forms in one file' 2 '' "error: --csv and --html both name 'out': each needs a file of its own" simulate example --csv out --html out
given x.yaml '{model: [1, 2}'
expect 'a bracket that is not closed is told' 2 '' "x.yaml:1:*: error: not YAML: *" check x.yaml
expect 'a map that is not closed is told' 2 '' "--set parallel={tensor: 4:1:1: error: not YAML: end of map flow not found; the '{' of line 1 needs its '}'" simulate example --set 'parallel={tensor: 4'
expect 'an output without a name' 2 '' 'error: --json needs the name of a file' simulate example --json ''
expect 'a folder that cannot be made is as a file that cannot' 1 '' "error: cannot make folder '/proc/x*" simulate example -q -o /proc/x
expect 'more jobs than any machine has use for' 2 '' 'error: --jobs 100000: must be from 0 *' simulate example --jobs 100000

given two.yaml 'model: {synthetic: {devices: 2, microbatches: 4, forward: 1 ms, backward: 2 ms}}
cluster: {devices: 2, link: {latency: 5 us}}
schedule: gpipe'
given out.1.et/in-the-way ''
expect 'half a set of traces is none' 1 '' "error: cannot write '*out.1.et': *" export chakra two.yaml -o out

# What newcomers write first.
given Llama/config.json '{"model_type": "llama"}'
expect 'a folder of a model is no experiment' 2 '' "error: 'Llama' is a folder of a model: write a file with 'model: ./Llama', a cluster, a batch and a schedule" simulate Llama
expect 'a part of a name finds the name' 2 '' "*unknown node 'h100'; did you mean 'dgx-h100'?*" simulate example --set 'cluster={node: h100, nodes: 1}'
expect 'a file of rules is told from a name' 2 '' "*unknown schedule 'rules:mine.yaml'; a file of rules is '{rules: mine.yaml}'" simulate example --set 'schedule="rules:mine.yaml"'
expect 'several names of which it is a part are all named' 2 '' "*did you mean 'h100-pcie' or 'h100-sxm'?*" simulate example --set 'cluster={devices: 4, device: h100, link: {latency: 1 us}}'
expect 'a unit of bytes for a count is taken for its first letter' 2 '' "*'15 TB' has the unit 'TB'*did you mean 'T'?" simulate example --set 'training={tokens: 15 TB}'
given tab.yaml $'model: gpt2-small\ncluster:\n\tdevices: 4'
expect 'a tab is named' 2 '' 'tab.yaml:*not YAML: *line 3 is indented with a tab, where YAML wants spaces' simulate tab.yaml
given open.yaml $'model: gpt2-small\nparallel: {tensor: 8\nschedule: 1f1b'
expect 'a bracket that nothing closes is named' 2 '' "open.yaml:*not YAML: *the '{' of line 2 needs its '}'" simulate open.yaml
given x.yaml ''
printf 'PK\003\004\000\000' >"$work/here/model.zip"
expect 'what is no text is told so' 2 '' './model.zip: error: is no text: YAML is expected' simulate ./model.zip
given folder/x.txt ''
expect 'a folder is told from a file' 2 '' "error: './folder' is a folder, and a file is needed" simulate ./folder
given x.yaml "$small"
expect 'a seed below zero is refused' 2 '' 'error: --seed -1: must be a whole number from 0' simulate x.yaml --seed -1

# Degrees are told where they stand in the file of the user, not where the model does.
job='model: gpt3-175b
cluster: {node: dgx-h100, nodes: 16}
parallel: {tensor: 8, pipeline: 8}
batch: {global: 64, micro: 1}
schedule: 1f1b'
job56=${job/nodes: 16/nodes: 7}
given x.yaml "${job56/tensor: 8/tensor: 7}"
expect 'a degree that does not divide the model' 2 '' 'x.yaml:3:20: error: tensor 7 must divide heads 96' simulate x.yaml
given x.yaml "${job/pipeline: 8/pipeline: 4, expert: 4}"
expect 'experts that a model does not have' 2 '' 'x.yaml:3:44: error: expert 4 needs a model with experts*' simulate x.yaml
given x.yaml "${job/global: 64/global: 100000000}"
expect 'a batch of too many micro-batches' 2 '' 'x.yaml:4:17: error: more than a million micro-batches*' simulate x.yaml
given x.yaml "${job/nodes: 16/nodes: 16, fabric: \{kind: star, link: \{bandwidth: 1 kB\/s\}\}}"
expect 'a time beyond the clock' 2 '' 'x.yaml:2:10: error: the simulated time exceeds *give faster links*' simulate x.yaml
given nccl.log $'# nThread 1\n# nGpus 1'
given x.yaml "${job/nodes: 16/nodes: 16, fabric: \{measured: nccl.log\}}"
expect 'a log of nccl-tests is no profile yet' 2 '' "x.yaml:*error: 'nccl.log' is no network profile. Of logs of nccl-tests 'pipewright import nccl-tests nccl.log -o FILE' makes one" simulate x.yaml

# Suggestions, and what is given twice.
given x.yaml "$small"
expect 'capitals are no mistake of another word' 2 '' "*'AdamW' must be *; did you mean 'adamw'[?]" simulate gpt3-175b-selene --set optimizer=AdamW
expect 'nor in a name of the catalogue' 2 '' "*DGX-H100*did you mean 'dgx-h100'[?]*" simulate gpt3-175b-selene --set 'cluster={node: DGX-H100, nodes: 96}'
given x.yaml "$small"
expect 'a slow rank is slow by its devices' 2 '' "*unknown key 'rank'; did you mean 'device'[?]" simulate x.yaml --set 'stragglers=[{rank: 1, slowdown: 2}]'
given x.yaml "$small"
expect 'a device is slow once' 2 '' '*this device is given twice; *' simulate x.yaml --set 'stragglers=[{device: 1, slowdown: 2}, {device: 1, slowdown: 3}]'
given x.yaml 'cluster: {devices: 2, link: {latency: 0 s}}'
expect 'a CSV of passes is named as one' 2 '' "*error: unknown schedule 'twist.csv'; PyTorch's CSV of a schedule is 'torch-csv:twist.csv'" simulate example --set schedule=twist.csv

# What is something else is told as such, with what to do with it.
given rules.yaml 'placement: linear
warm_up: {repeat: p - 1 - i, do: F}'
expect 'a rules file is no experiment' 2 '' "rules.yaml:1:1: error: this is a rules file: an experiment names it as 'schedule: {rules: rules.yaml}'" compare rules.yaml
given study.yaml 'experiment: example
vary: {batch.micro: [1, 2]}'
expect 'nor is a study' 2 '' "study.yaml:1:1: error: this is a study: 'pipewright sweep study.yaml' runs it" simulate study.yaml
plain_job='model: gpt3-1.3b
cluster: dgx-h100-32
schedule: 1f1b'
given job.yaml "$plain_job"
expect 'an experiment is no study' 2 '' "job.yaml:1:1: error: this is an experiment: 'pipewright simulate job.yaml' runs it, and a study names it as 'experiment: job.yaml'" sweep job.yaml
given job.yaml "$plain_job"
expect 'nor is it measured runs' 2 '' 'job.yaml:1:1: error: this is an experiment: *' validate job.yaml
given job.yaml "$plain_job"
expect 'a node is no cluster' 2 '' "--set cluster=dgx-h100:1:1: error: unknown cluster 'dgx-h100'; it is a node, and a cluster of it is '{node: dgx-h100, nodes: 1}' *" simulate job.yaml --set cluster=dgx-h100
given job.yaml "$plain_job"
expect 'a degree belongs into its map' 2 '' "--set tensor=4:1:1: error: unknown key 'tensor'; it is 'parallel.tensor'" simulate job.yaml --set tensor=4
given job.yaml "$plain_job"
expect 'short names are known' 2 '' "--set parallel.tp=4:1:1: error: unknown key 'tp'; it is 'tensor'" simulate job.yaml --set parallel.tp=4
given job.yaml "$plain_job"
expect 'a list of schedules has commas' 2 '' 'error: too many arguments: a list has commas and no spaces*' compare job.yaml --schedules 1f1b zb-h1
given job.yaml "$plain_job"
given rules.yaml 'placement: linear
warm_up: {repeat: p - 1 - i, do: F}'
expect 'a schedule is named or given by rules' 2 '' "*error: a schedule has a 'name' or 'rules', not both" simulate job.yaml --set schedule.rules=rules.yaml
