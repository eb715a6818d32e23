# shellcheck shell=bash
# Formats of other tools' files: what holds for each that 'import' and 'export' list.

kinds_of() { "$program" "$1" --help | sed -n 's/^  \([a-z][a-z-]*\)  *.*:$/\1/p'; }

for way in import export; do
  given x.yaml ''
  expect "$way lists its kinds" 0 '*torch-csv*goal*chakra*' '' "$way" --help
  for kind in $(kinds_of "$way"); do
    given x.yaml ''
    expect "$way $kind has a help of its own" 0 "pipewright $way $kind *OUT*" '' "$way" "$kind" --help
    given x.yaml ''
    expect "$way $kind knows its options" 2 '' '*nosuch*' "$way" "$kind" x.yaml --nosuch
  done
done

given x.goal 'num_ranks 1
rank 0 {
calc 1
}'
expect 'a file without a kind is taken for what it looks like' 0 '*goal: x.goal*' "x.goal: taken for goal, LogGOPSim's GOAL text*" import x.goal
given x.goal 'num_ranks 1
rank 0 {
calc 1
}'
cp "$program" "$work/alone"
(cd "$work/here" && "$work/alone" import goal x.goal -o x.yaml)
holds 'a program that lies alone names no schema' x.yaml '# The link*trace:*goal: x.goal*'
rm "$work/alone"
given x.goal 'nothing at all'
expect 'one that is not there is named' 2 '' "error: cannot read file 'nosuch.yaml'" import nosuch.yaml
given x.goal ''
expect 'a kind needs a file' 2 '' 'error: import needs a KIND and a FILE*' import goal
given x.goal ''
expect 'an option of another kind names it' 2 '' "error: --name is not for 'import goal', but for nccl-topology, nvidia-smi-topo" import goal x.goal --name a
given x.log '# size count type redop root time algbw busbw #wrong time algbw busbw #wrong
 2048 512 float sum -1 20.0 2.00 3.00 0 20.0 2.00 3.00 0
 4096 1024 float sum -1 21.0 4.00 6.00 0 21.0 4.00 6.00 0'
expect 'a log of nccl-tests is taken for one' 0 '*ranks_per_node: 2*' 'x.log: taken for nccl-tests,*' import x.log --nodes 2 -q
given recipe.py 'def recipe(): pass'
expect 'a program that is no recipe looks like none' 2 '' "error: 'recipe.py' looks like none of *torchtitan*" import recipe.py
given recipe.py 'def recipe(): pass'
expect 'formats without programs say so' 2 '' "recipe.py: error: a program is not run here*those of torchtitan, NeMo 2 and Megatron Bridge are" import nanotron recipe.py
given x.goal ''
expect 'a kind that is fitted alone is not exported' 2 '' "error: 'nccl-tests' must be one of torch-csv, goal, chakra*" export nccl-tests example
expect 'the commands of a live machine are listed' 0 '*calibrate *replay *fit kernels *fit nccl *' '' --help
expect 'and have their help' 0 'pipewright fit nccl FILE*' '' fit nccl --help

job='model: {transformer: {layers: 6, hidden: 256, heads: 16, ffn: 768, vocabulary: 2048, gated: true, positions: rope, norm: rmsnorm, bias: false, dropout: false, tied_embeddings: false}}
cluster: {node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: 8}}
parallel: {tensor: 2, pipeline: 2, sequence: true}
batch: {global: 64, micro: 1, sequence: 128}
schedule: 1f1b'
for kind in megatron-args primus megatron-bridge nemo; do
  given j.yaml "$job"
  expect "a job of $kind goes out" 0 '' '' export "$kind" j.yaml -o job.txt
  given job.txt "$(cd "$work/here" && cat job.txt)"
  expect 'and comes in for another cluster' 0 '*# assumed: parallel.data is 32, as many replicas as fill 128 devices*# assumed: batch.global is 512, 16 sequences a replica as before*' '' import "$kind" job.txt --set cluster.nodes=16
done
given j.yaml "$job"
expect 'groups of a sequence go out by their degree' 0 '*megatron_lm_context_parallel_size: 2*megatron_lm_recompute_granularity: full*' '' export accelerate j.yaml --set parallel.context=2 --set parallel.zero=1 --set recompute=full
given j.yaml "$job"
expect 'and need layers that run again there' 2 '' "*error: accelerate cannot say context groups without recompute: *runs layers again *" export accelerate j.yaml --set parallel.context=2 --set parallel.zero=1
given sub.sh 'N=4
sbatch --gpus-per-node 8 <<JOB
#!/bin/bash
#SBATCH --nodes=$N
srun python pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 --micro-batch-size 1 --bf16
JOB'
expect 'a job that a script queues has options of its own' 0 '*nodes: 4*data: 32*' '' import megatron-args sub.sh

mkdir "$work/shared"
printf 'SIZES="--num-layers 4 --hidden-size 256 --num-attention-heads 4 --seq-length 128"\n' >"$work/shared/sizes.sh"
given job.sh 'source shared/sizes.sh
torchrun --nproc_per_node 8 pretrain_gpt.py $SIZES --micro-batch-size 1 --global-batch-size 8 --vocab-size 1024'
expect 'a file that lies beside a folder of the job is found from within' 0 '*layers: 4*' '' import megatron-args job.sh
rm -r "$work/shared"
given j.yaml "$job"
expect 'what a framework cannot say is told before anything is written' 2 '' '*error: nanotron cannot say schedule: zb-h1 (it would be read as 1f1b); and nanotron cannot say partition: *' export nanotron j.yaml --set schedule=zb-h1 -o job.yaml
given ts.yaml 'model: llama-3-8b
cluster: {node: dgx-h100, nodes: 8, fabric: {kind: fat-tree, link: ndr}}
batch: {global: 256, micro: 1, sequence: 8192}
schedule: 1f1b
parallel: {mesh: {replicate: 2, tensor: 2}}'
expect 'and of a default by the setting that agrees' 2 '' '*error: torchtitan cannot say parallel.sequence: false (it would be read as true); this is a default, and parallel.sequence: true would agree*' export torchtitan ts.yaml -o job.toml
titan=(--set parallel.zero=3 --set framework=torchtitan --set schedule=zb-h1)
given j.yaml "$job"
expect 'a schedule that torchtitan has no name for needs a file' 2 '' '*error: torchtitan cannot say this schedule by a name*needs -o FILE' export torchtitan j.yaml "${titan[@]}"
given j.yaml "$job"
expect 'beside which its order lies' 0 '' '' export torchtitan j.yaml "${titan[@]}" -o job.toml
holds 'as a CSV of PyTorch' job.csv '0F0,*'
given job.toml "$(cd "$work/here" && cat job.toml)"
expect 'and where it is read it is named' 0 '*schedule: torch-csv:job.csv*' '' import torchtitan job.toml
given j.yaml "$job"
expect '--partial goes on without it, and says so' 0 '*# matters, but cannot be said: schedule: zb-h1 (it is read as 1f1b)*' '' export nanotron j.yaml --set schedule=zb-h1 --partial
given j.yaml "$job"
expect 'a program has nothing to leave out' 2 '' 'error: --partial is for jobs of frameworks, not for goal' export goal j.yaml --partial -o x
for kind in megatron-args megatron-bridge nemo primus; do
  given j.yaml "$job"
  expect "stages of a rank that a schedule says go to $kind" 0 '' '' export "$kind" j.yaml --set 'schedule={name: interleaved-1f1b, virtual: 3}' -o job.txt
done
given j.yaml "$job"
expect 'a plan for torchtitan cuts weights as torchtitan does' 0 '*Kept to what is written can say: *parallel.zero=3*' '' plan j.yaml --set framework=torchtitan --simulations 10 --write torchtitan:job.toml
given job.toml "$(cd "$work/here" && cat job.toml)"
expect 'and is read' 0 '*framework: torchtitan*' 'job.toml: taken for torchtitan,*' import job.toml
given j.yaml "$job"
expect 'parts of sequences go to accelerate' 0 '*parallelism_config_cp_comm_strategy: allgather*' '' export accelerate j.yaml --set 'parallel={data: 8, zero: 3, context: {degree: 2, exchange: all-gather}}' --set framework=torchtitan --set gradients=bf16
given j.yaml "$job"
expect 'a plan for accelerate is one of FSDP' 0 '*Kept to what is written can say: *parallel.zero=3*' '' plan j.yaml --simulations 6 --write accelerate:config.yaml
holds 'which its configuration says' config.yaml '*distributed_type: "FSDP"*'
given config.yaml "$(cd "$work/here" && cat config.yaml)"
expect 'and which is read without naming the model again' 0 '*zero: 3*' 'config.yaml: taken for accelerate,*' import config.yaml
given j.yaml "$job"
expect 'a plan for two tools takes what both have' 0 '*Take *1f1b*' '' plan j.yaml --simulations 6 --write megatron-args:job.sh --write deepspeed:run.sh
for kind in megatron-bridge nemo; do
  given j.yaml "$job"
  expect "a plan goes out as a job of $kind" 0 '*Take *' '' plan j.yaml --simulations 10 --write "$kind:job.yaml"
  given job.yaml "$(cd "$work/here" && cat job.yaml)"
  expect 'and is taken for one' 0 '*# From a recipe of *' "job.yaml: taken for $kind, *" import job.yaml
done

given j.yaml "$job"
expect 'a plan for torchtitan takes its framework and what it has' 0 '*Kept to what is written can say: framework=torchtitan, parallel.zero=3, *Take *' '' plan j.yaml --simulations 6 --write torchtitan:job.toml --json p.json
holds 'which nobody gave' p.json '*"pinned": \[\]*'
given j.yaml "$job"
expect 'what is given and cannot be written is told before anything is searched' 2 '' 'error: no plan can be written: megatron-args cannot say overlap.tensor: domino *' plan j.yaml --set overlap.tensor=domino --set parallel.tensor=2 --write megatron-args:job.sh
given j.yaml "$job"
expect 'a degree that is given leaves the rest to what can be written' 0 '*Kept as given: parallel.tensor.*Take tensor 2*' '' plan j.yaml --simulations 6 --set parallel.tensor=2 --write megatron-args:job.sh

# Constants that no time changes with: a job without them trains another model.
moe='{"model_type": "qwen3_moe", "hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 32, "num_experts": 16, "num_experts_per_tok": 4, "moe_intermediate_size": 64, "intermediate_size": 512, "vocab_size": 1024, "hidden_act": "silu", "max_position_embeddings": 4096, "rope_theta": 1000000.0, "rms_norm_eps": 1e-06, "router_aux_loss_coef": 0.001, "tie_word_embeddings": false'
routed='model: ./tiny
cluster: {node: dgx-h100, nodes: 1}
parallel: {data: 8, expert: 4}
batch: {global: 16, micro: 1, sequence: 128}
schedule: 1f1b'
given tiny/config.json "$moe}"
given j.yaml "$routed"
expect 'a script trains the model of its configuration' 0 '*--moe-grouped-gemm*--rotary-base 1000000*--norm-epsilon 1e-06*--moe-aux-loss-coeff 0.001*' '' export megatron-args j.yaml
for kind in megatron-bridge nemo primus; do
  given tiny/config.json "$moe}"
  given j.yaml "$routed"
  expect "so does a job of $kind" 0 '*moe_grouped_gemm: true*rotary_base: 1000000*eps*: 1e-06*moe_aux_loss_coeff: 0.001*' '' export "$kind" j.yaml
done
given tiny/config.json "$moe, \"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4.0}}"
given j.yaml "$routed"
expect 'what has no argument is told, also at the head' 0 '*# not written: rope_scaling {rope_type: yarn, factor: 4}*--num-layers 4*' 'megatron-args: not written: rope_scaling {rope_type: yarn, factor: 4}*' export megatron-args j.yaml
given tiny/config.json "$moe}"
given j.yaml "$routed"
expect 'experts over tensor ranks need what Megatron-Core needs' 2 '' '*error: Megatron-Core does not train experts with tensor parallelism and without sequence parallelism*' export megatron-args j.yaml --set 'parallel={tensor: 2, data: 4}'

# The matrix of a machine with two A100 on NVSwitches, and a NIC under the first.
matrix='user@node:~$ nvidia-smi topo -m
	GPU0	GPU1	NIC0	CPU Affinity	NUMA Affinity
GPU0	 X 	NV12	PXB	0-7	0
GPU1	NV12	 X 	SYS	8-15	1
NIC0	PXB	SYS	 X 		

NIC Legend:

  NIC0: mlx5_3'
given topo.txt "$matrix"
expect 'the matrix of nvidia-smi is taken for what it is' 0 '*NICs mlx5_3 are for training, each hdr*name: "ours"*device: a100-sxm-80g*devices: 2*kind: graph*bandwidth: 300 GB/s*nics: 1*' 'topo.txt: taken for nvidia-smi-topo, *' import topo.txt --device a100-sxm-80g --nic-link hdr --name ours
given topo.txt "$matrix"
expect 'links are named where one is not known' 2 '' "*unknown link 'infiniband'; there are: edr, *, ndr, *" import nvidia-smi-topo topo.txt --device a100-sxm-80g --nic-link infiniband
given topo.txt "$matrix"
expect 'what it does not say is assumed, left out or asked for' 0 '*# assumed: pcie4 *# assumed: NVLinks of nvlink3 *# left out: NICs mlx5_3; --nic-link *# assumed: 16 GB/s between 2 NUMA nodes*' '' import nvidia-smi-topo topo.txt --device a100-sxm-80g --between-numa '16 GB/s'
given topo.txt "$matrix"
expect 'such as what its GPUs are' 2 '' 'topo.txt: error: the matrix does not say what its GPUs are: *--device*' import nvidia-smi-topo topo.txt
given topo.txt "$matrix"
expect 'a NIC that is not there is named' 2 '' "error: --nics: no NIC 'mlx5_9' in 'topo.txt'" import nvidia-smi-topo topo.txt --device a100-sxm-80g --nics mlx5_9
given topo.txt "${matrix/SYS/NS}"
expect 'a cell of another matrix is told at its place' 2 '' "topo.txt:4:15: error: 'NS' is no path of 'nvidia-smi topo -m': X, NV#, PIX, PXB, PHB, NODE or SYS" import nvidia-smi-topo topo.txt
given topo.txt "$matrix"
expect 'a value that is wrong names its option' 2 '' "--between-numa: error: 'fast' must be a bandwidth*" import nvidia-smi-topo topo.txt --device a100-sxm-80g --between-numa fast

# Layers out of profiles.
traces=$(dirname "$cases")/../fuzz/corpus/diagnose
expect 'a profile of Nsight Systems without layers' 2 '' '*steps.sqlite: error: no rank of stage * shows layers*' import nsys "$traces/steps.sqlite" --layers
expect 'a profile of PyTorch without layers' 2 '' '*torch.json: error: no rank of stage 0 (of *) shows layers*' import kineto "$traces/torch.json" --layers
(cd "$work/here" && "$program" import kineto "$traces/torch.json" -o times.csv)
holds 'a table begins with its columns' times.csv 'kernel,*'
expect 'layers of what is none' 2 '' "error: --layers is not for 'import goal', but for kineto, nsys" import goal "$traces/torch.json" --layers

# What an import says of a job goes along: a batch that grows is its last one.
imported='# From the arguments of Megatron-LM.
# assumed: --rampup-batch-size: the batch grows from 16 by 16 over 100 samples
# matters, but cannot be said: --untold
# does not matter here: --lr 1e-4
model: {transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1024}}
cluster: {node: dgx-h100, nodes: 1}
parallel: {tensor: 2, data: 4}
batch: {global: 64, micro: 1, sequence: 128}
schedule: 1f1b'
given i.yaml "$imported"
expect 'what was said of an imported job stands in what is written' 0 $'#!/bin/bash\n# of the job that was imported: assumed: --rampup-batch-size: *over 100 samples\n# of the job that was imported: matters, but cannot be said: --untold\n# yours to add: *\n# pipewright|*' '' export megatron-args i.yaml
given i.yaml "$imported"
expect 'a plan that is written says it too' 0 '*' '' plan i.yaml --simulations 4 --write megatron-args:job.sh
holds 'at its head' job.sh $'#!/bin/bash\n# of the job that was imported: assumed: --rampup-batch-size*'
given i.yaml "$imported"
expect 'a file of YAML has the arguments as YAML' 0 '' '*' export megatron-args i.yaml -o args.yaml
holds 'with the environment that Megatron-LM asserts' args.yaml $'*ENV_VARS:\n  CUDA_DEVICE_MAX_CONNECTIONS: 1\nMODEL_ARGS:\n  --num-layers: 4\n*'
