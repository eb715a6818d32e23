# shellcheck shell=bash
# 'plan'.

job='model: {transformer: {layers: 4, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 32768}}
cluster: {node: mi300x, nodes: 2, fabric: {kind: fat-tree, link: hdr, nics: 8}}
batch: {global: 16, sequence: 256}
schedule: 1f1b'

given j.yaml "$job"
expect 'planners side by side' 0 '*exhaustive*megatron*bapipe*pipedream-2bw*terapipe*Take *' '' plan j.yaml --planner all --simulations 10 --json p.json --csv p.csv --html p.html
holds 'the JSON has every proposal' p.json '*"pipewright.plan/1"*"proposals"*"estimate_s"*'
holds 'the page has the proposals' p.html '*"kind":"plan"*"proposals"*'
holds 'the CSV has a line a proposal' p.csv 'planner,plan,*exhaustive,*megatron,*'
given j.yaml "$job"
expect 'the best is written' 0 '*Take *' '' plan j.yaml --simulations 10 -o best.yaml
holds 'as an experiment' best.yaml '*schedule:*parallel:*'
given j.yaml "$job"
expect 'nothing fits' 0 '*Nothing fits*' '' plan j.yaml --simulations 10 --subject-to 'memory<=1MiB'
given j.yaml "$job"
expect 'what cannot be written is a failure' 1 '*Nothing fits the limits; *, but its memory is *, more than 1 MiB*' 'error: no plan was written*' plan j.yaml --simulations 10 --subject-to 'memory<=1MiB' -o none.yaml
given j.yaml "$job"
expect 'fewer nodes' 0 '*Take *, on 1 node, *' '' plan j.yaml --minimize nodes --simulations 10 --subject-to 'iteration_time<=10s'
given j.yaml "$job
training: {tokens: 1B, deadline: 1 s}"
expect 'the deadline of the training is a limit' 0 '*beyond a limit*Nothing fits*' '' plan j.yaml --minimize nodes --simulations 10
given j.yaml "$job
training: {tokens: 1B, deadline: 1 s}"
expect 'that another takes the place of' 0 '*Take *' '' plan j.yaml --minimize nodes --simulations 10 --subject-to 'time_to_train<=9999d'
given j.yaml "$job"
expect 'a cost without a price' 2 '' 'j.yaml:2:10: error: a cost needs a price_per_hour: *--set cluster.node.price_per_hour=*' plan j.yaml --minimize cost
given j.yaml "$job"
expect 'a limit without a result' 2 '' "error: --subject-to 'fast'*" plan j.yaml --subject-to fast
given j.yaml "$job"
expect 'a planner that is not there' 2 '' "error: unknown planner 'bapip'; one of *; did you mean 'bapipe'*" plan j.yaml --planner bapip
given j.yaml 'model: gpt3-1.3b
cluster: {node: dgx-a100-80g, nodes: 1}
schedule: 1f1b'
expect 'no batch' 2 '' 'j.yaml:1:1: error: plan needs batch.global*' plan j.yaml
expect 'no experiment' 2 '' 'error: plan needs an EXPERIMENT*' plan

given j.yaml "$job"
expect 'the frontier' 0 '*points of its frontier, as simulated:*estimate*Take *' '' plan j.yaml --planner tensoropt --simulations 3
given j.yaml "$job
parallel: {tensor: 8, data: 2}"
expect 'what more of each resource gains' 0 '*10 % more of*devices*' '' sensitivity j.yaml --json s.json
holds 'as JSON' s.json '*"pipewright.sensitivity/1"*"resource"*"gain_fraction"*'
given j.yaml "$job
parallel: {tensor: 8, data: 2}"
expect 'and as a page' 0 '' '' sensitivity j.yaml -q --html s.html
holds 'with what was asked' s.html '*"kind":"sensitivity"*Ten per cent more *"pipewright.sensitivity/1"*"experiment": *"uncertainty": *'
expect 'of given times, without more devices' 0 $'An iteration takes*10 % more of*device FLOP/s*' '' sensitivity example
given t.yaml 'cluster: {devices: 2, link: {latency: 1 us, bandwidth: 10 GB/s}}
traffic: [{from: 0, to: 1, bytes: 1 GiB}]'
expect 'but not of traffic' 2 '' "t.yaml:2:10: error: sensitivity needs an experiment with a schedule*'traffic'*" sensitivity t.yaml
expect 'sensitivity of nothing' 2 '' 'error: sensitivity needs an EXPERIMENT*' sensitivity
given j.yaml "$job"
expect 'autoddl tells its signatures' 0 '*autoddl: its signatures*Take sbp *' '' plan j.yaml --planner autoddl --set launches=graph --set cluster.fabric.link=eth-10 -o best.yaml
holds 'and writes them' best.yaml '*sbp:*grid:*qkv:*'
expect 'alpa gives every stage a mesh, and writes it' 0 '*layers on 4x1*' '' plan gpt3 --planner alpa -o best.yaml
holds 'what it wrote has stages of their own' best.yaml '*strategy:*devices: 4-5*'

given j.yaml "$job"
expect 'what --set sets stays' 0 '*pipeline 2*Kept as given: parallel.pipeline*Take *pipeline 2*' '' plan j.yaml --simulations 5 --set parallel.pipeline=2 --set batch.micro=2 --json p.json
holds 'and is told' p.json '*"pinned": [*"parallel.pipeline"*"batch.micro"*'
given j.yaml "$job
parallel: {tensor: 4}
pinned: [parallel.tensor]"
expect 'so does what the file pins' 0 '*Kept as given: parallel.tensor*Take tensor 4*' '' plan j.yaml --simulations 5
given j.yaml "$job"
expect 'a key that is pinned must be there' 2 '' "error: 'parallel.tensor' is pinned, but the experiment does not say it; --set parallel.tensor=VALUE says it and keeps it" plan j.yaml --pin parallel.tensor
given j.yaml "$job"
expect 'and be one that a plan decides' 2 '' "error: 'optimzer' is no key that a plan decides*" plan j.yaml --pin optimzer
given j.yaml "$job"
expect 'the best three, of which predictions tell none apart' 0 '*best plans*1. exhaustive*1. exhaustive*1. exhaustive*Take *' '' plan j.yaml --simulations 20 --top 3
given j.yaml "$job"
expect 'by another measure each has its place' 0 '*best plans*1. exhaustive*2. exhaustive*3. exhaustive*Take *' '' plan j.yaml --simulations 20 --top 3 --minimize nodes --subject-to 'iteration_time<=10s'
given in/m.yaml 'transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1024}
sequence: 128'
given in/j.yaml 'model: ./m.yaml
cluster: {node: dgx-h100, nodes: 1, fabric: {kind: fat-tree, link: ndr, nics: 8}}
batch: {global: 16}
schedule: 1f1b'
given out/empty ''
expect 'a plan that goes elsewhere' 0 '' '' plan in/j.yaml -q --planner megatron -o out/p.yaml
holds 'finds what it names' out/p.yaml '*model: /*/in/m.yaml*'
given in/m.yaml 'transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1024}
sequence: 128'
given in/j.yaml 'model: ./m.yaml
cluster: {node: dgx-h100, nodes: 1, fabric: {kind: fat-tree, link: ndr, nics: 8}}
batch: {global: 16}
schedule: 1f1b'
expect 'one that stays' 0 '' '' plan in/j.yaml -q --planner megatron -o in/p.yaml
holds 'keeps what it names' in/p.yaml '*model: ./m.yaml*'
given j.yaml "$job"
expect 'a cluster whose job names its devices is not made smaller' 0 '*Take *, on 2 nodes, * USD an iteration*' '' plan j.yaml --minimize cost --planner megatron --set cluster.node.price_per_hour=20 --set 'stragglers=[{device: 15, slowdown: 1.5}]'
given j.yaml "$job"
expect 'the least cost is over fewer nodes too' 0 '*Take *, on 1 node, * USD an iteration*Clusters of 1 to 2 nodes were tried.*' '' plan j.yaml --minimize cost --planner megatron --set cluster.node.price_per_hour=20
given j.yaml "$job"
expect 'chips that vary are judged by the median' 0 '*Take *Each time is the median of 3 draws.*' '' plan j.yaml --planner megatron --set 'variation={compute_spread: 5%, seeds: 3}'
given j.yaml "$job"
expect 'also by what more of a resource gains' 0 '*Each time is the median of 3 draws.*' '' sensitivity j.yaml --set 'variation={compute_spread: 5%, seeds: 3}'
