# shellcheck shell=bash
# Help, version, and words that mean nothing.

expect 'help names the commands' 0 '*simulate*compare*' '' --help
expect 'the version is one line' 0 'pipewright [0-9]*.[0-9]*.[0-9]*' '' --version
expect 'no words at all show the help and are a mistake' 2 '*simulate*compare*' ''
expect 'the help of a command names its options' 0 '*--json*' '' simulate --help
expect 'an unknown command is an input error' 2 '' "error: unknown command 'frobnicate'*" frobnicate
expect 'a misspelt command is guessed' 2 '' "*did you mean 'simulate'[?]" simulat x.yaml
expect 'an unknown option is an input error' 2 '' "error: *--frobnicate*" simulate --frobnicate
expect 'a command without its experiment says so' 2 '' 'error: *EXPERIMENT*' simulate
expect 'list shows every kind' 0 '*devices:*clusters:*models:*schedules:*' '' list
expect 'list shows one kind' 0 '*gpipe*1f1b*' '' list schedules
expect 'a part of a name lists what holds it' 0 'models:*  gpt3-13b *  gpt3-175b *' '' list models gpt3
expect 'a whole name shows that entry, though others hold it' 0 'description: NVIDIA DGX-2, *' '' list nodes dgx-2
expect 'a name that nothing holds is an input error' 2 '' "error: unknown model 'gpt33'*" list models gpt33
expect 'a cluster is listed with its bisection' 0 '*# bisection: 100 GB/s each way*devices 0-3 to 4-7*' '' list clusters switch-8
expect 'one that is written out is shown, too' 0 '*nodes: 2*# bisection: *' '' list clusters '{node: dgx-a100-80g, nodes: 2, fabric: {kind: fat-tree, link: hdr}}'
expect 'or drawn' 0 'graph *dgx-a100-80g*' '' list clusters '{node: dgx-a100-80g, nodes: 2, fabric: {kind: fat-tree, link: hdr}}' --dot
expect 'what has no topology goes by its name' 2 '' "error: 'list models' takes a name*" list models '{a: 1}'
expect 'a key that only holds others lists them' 0 $'model.synthetic\n\nIts keys:\n  model.synthetic.devices *' '' help model.synthetic
expect 'a key of what is written out is described' 0 $'cluster.fabric.measured\n  Collectives were measured on this fabric *pipewright schema cluster*' '' help cluster.fabric.measured
expect 'a key of the catalogue is found by its last name' 0 '*cluster.node.price_per_hour*The node costs this much*unit     USD/h*cluster.node.device.price_per_hour*' '' help price_per_hour
expect 'and by its last two' 0 'cluster.fabric.global_links*' '' help fabric.global_links
expect 'a key is that of its path' 0 $'cluster.node.device.price_per_hour\n  The device costs *' '' help cluster.node.device.price_per_hour
expect 'a key of a place that is none is unknown' 2 '' "error: unknown key 'cluster.banana.price_per_hour'*" help cluster.banana.price_per_hour
expect 'a kind of fabric lists its keys' 0 '*cluster.fabric.dims*' '' help torus
expect 'so is one key of the table' 0 $'training.deadline\n*type *' '' help deadline
expect 'and several are listed' 0 '*overlap.p2p.buffered*' '' help buffered
expect 'all such keys are described elsewhere' 2 '' "error: unknown key 'cluster.fabric.oversubscribed'; 'pipewright schema cluster' describes *" help cluster.fabric.oversubscribed
expect 'a key that is misspelt is guessed' 2 '' "error: unknown key 'model.synthetic.devces'; did you mean 'model.synthetic.devices'[?]" help model.synthetic.devces
expect 'a cluster is drawn' 0 'graph *v0 --*25 GB/s*' '' list clusters switch-8 --dot
expect 'a node is drawn' 0 'graph *node 0: dgx-a100-80g*' '' list nodes dgx-a100-80g --dot
expect 'a model cannot be drawn' 2 '' 'error: --dot draws*' list models --dot
expect 'a kind that is not there is an input error' 2 '' 'error: *frobs*' list frobs

expect 'stages with meshes of their own are simulated' 0 '*2 stages on 2 pipeline ranks, 12 devices*' '' simulate gpt3 --set batch.global=32
expect 'their tensors are resharded by any strategy' 0 '*iteration time*' '' simulate gpt3 --set batch.global=32 --set resharding=send-recv
expect 'they are compared' 0 '*zb-h1*' '' compare gpt3 --set batch.global=32 --schedules 1f1b,eager-1f1b,zb-h1
expect 'they are checked' 0 '*' '' check gpt3 u-transformer
expect 'what is resharded is exported' 0 'num_ranks 12*' '' export goal gpt3 --set batch.global=16

hosted='model: gpt2-small
cluster: {node: dgx-1-v100-16g, nodes: 1}
parallel: {data: 8}
batch: {global: 64, micro: 1, sequence: 1024}
precision: fp16
schedule: 1f1b'
given x.yaml "$hosted"
expect 'the optimizer steps on the host' 0 '*iteration time*' '' simulate x.yaml --set offload=optimizer --json r.json
holds 'and what is copied is told' r.json '*"offload": {*"bytes":*'
given x.yaml "$hosted"
expect 'documents of unequal length are drawn' 0 '*replicas have documents of their own*' '' simulate x.yaml --set 'batch.lengths={mean: 512, spread: 1}'
given x.yaml "$hosted"
expect 'a head may tell classes in place of tokens' 0 '*iteration time*' '' simulate x.yaml --set 'model={transformer: {layers: 4, hidden: 64, heads: 4, vocabulary: 512, classes: 2}}'

strips='model: resnet-50
cluster: {node: dgx-1-v100-16g, nodes: 2}
parallel: {data: 4, spatial: 4}
batch: {global: 64, micro: 16}
precision: fp32
optimizer: momentum
schedule: 1f1b'
given x.yaml "$strips"
expect 'images are cut into strips that exchange rows' 0 '*context communication*' '' simulate x.yaml -v --json r.json
holds 'and the document says so' r.json '*"spatial": 4*'
given x.yaml "$strips"
expect 'an image has as many strips as rows at most' 2 '' '*7 rows are too few for 8 strips*' simulate x.yaml --set parallel.spatial=8 --set parallel.data=2
expect 'words cannot be cut into strips' 2 '' '*parallel.spatial cuts images*' simulate llama-3-70b-dgx-h100 --set parallel.spatial=2 --set parallel.data=4

domino='model: gpt2-small
cluster: {node: dgx-1-v100-16g, nodes: 1}
parallel: {tensor: 4, data: 2}
batch: {global: 16, micro: 2, sequence: 1024}
precision: fp16
schedule: 1f1b
overlap: {tensor: {domino: 2, columns: 3}}'
given x.yaml "$domino"
expect 'products are cut in columns within slices of a micro-batch' 0 '*iteration time*' '' simulate x.yaml --json r.json
holds 'and the document says so' r.json '*"domino": 2*"columns": 3*'
given x.yaml "$domino"
expect 'slices may meet at the end of each layer' 0 '*iteration time*' '' simulate x.yaml --set 'overlap.tensor={domino: 2, intra_layer: true}' --json r.json
holds 'which the document says as well' r.json '*"domino": 2*"intra_layer": true*'
given x.yaml "$domino"
expect 'columns that no product has are refused' 2 '' 'x.yaml:7:*: error: overlap.tensor: no product before a tensor collective has 1000 columns' simulate x.yaml --set overlap.tensor.columns=1000
given x.yaml "${domino/columns: 3/columns: 1000}"
expect 'by check as well' 2 '*' '*has 1000 columns*' check x.yaml
given x.yaml "$domino"
expect 'slices are whole sequences' 2 '' '*batch.micro must be a multiple' simulate x.yaml --set overlap.tensor.domino=3
given x.yaml "$domino"
expect 'columns are not for chunks' 2 '' "*error: overlap.tensor: either 'chunked' or 'columns'" simulate x.yaml --set 'overlap.tensor={chunked: 2, columns: 2}'

expect 'fp8 may be scaled by tensors as they are' 0 '*iteration time*' '' simulate llama-3-70b-dgx-h100 --set 'precision={fp8: tensorwise}'
expect 'in one of four ways' 2 '' "*must be one of delayed, tensorwise, blockwise, mxfp8*" simulate llama-3-70b-dgx-h100 --set 'precision={fp8: rowwise}'

expect 'of a synthetic model it is said what counts for nothing' 0 '*note*a synthetic model has times*counts: not precision, batch*' '' simulate example --set precision=bf16 --set batch.micro=2

# The schedule of an experiment keeps its options where it is compared. 8 micro-batches of 3 ms on 4 devices, and a
# quarter of the 9 ms that a pipeline of whole stages fills and drains in.
given x.yaml 'model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}
cluster: {devices: 4, link: {latency: 0 s}}
schedule: {name: interleaved-1f1b, virtual: 4}'
expect 'its own schedule is compared as it has it' 0 $'*\ninterleaved-1f1b (virtual 4)   26.25 ms *' '' compare x.yaml --schedules 1f1b,interleaved-1f1b
given x.yaml 'model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}
cluster: {devices: 4, link: {latency: 0 s}}
schedule: {name: interleaved-1f1b, virtual: 4}'
expect 'among the usual ones, too' 0 $'*\ninterleaved-1f1b (virtual 4) *' '' compare x.yaml
given x.yaml 'model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}
cluster: {devices: 4, link: {latency: 0 s}, device: {flops: {bf16: 312 TFLOP/s}, memory: 80 GiB, memory_bandwidth: 2 TB/s}}
schedule: 1f1b'
expect 'what is not known of memory is not said to fit' 0 $'*peak memory *not known*' '' simulate x.yaml
given x.yaml 'model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}
cluster: {devices: 4, link: {latency: 0 s}, device: {flops: {bf16: 312 TFLOP/s}, memory: 80 GiB, memory_bandwidth: 2 TB/s}}
schedule: 1f1b'
expect 'nor in a comparison' 0 $'*\n1f1b *  -\n*the fastest synchronous schedule[.]*' '' compare x.yaml --schedules 1f1b,gpipe
expect 'the name of an entry is no kind' 2 '' "error: unknown kind 'gpt3-175b'; 'pipewright list models gpt3-175b' shows the entry of that name" list gpt3-175b
