# shellcheck shell=bash
# Collectives by size, beside measured ones, fitted to them; tensors from mesh to mesh.

# Four devices, alpha 5 us, beta 25 GB/s: 1 GB takes 6 (5 us + 10 ms) to all-reduce.
switch='{devices: 4, link: {latency: 5 us, bandwidth: 25 GB/s}}'
expect 'a link: is the textbook formula' 0 '*"time_s": 0.06003,*' '' collective "$switch" -b '1 GB' -e '1 GB' --json -
expect 'a ring is the same as a flow' 0 '*"time_s": 0.06003,*' '' collective "$switch" -b '1 GB' -e '1 GB' --algorithm ring --json -
expect 'and message by message' 0 '*"time_s": 0.06003,*' '' collective "$switch" -b '1 GB' -e '1 GB' --algorithm ring --expand-collectives --json -
expect 'columns of large numbers stay apart' 0 '* 1000000000000000000 250000000000000000 *float *sum * -1 38888888888?? *' '' collective dgx-h100 -b 1e18 -e 1e18 --algorithm ring
expect 'messages without end are refused' 2 '' 'error: a collective over 4 ranks takes * rounds of messages; at most 1000000000 *' collective "$switch" -b 1e18 -e 1e18 --kind broadcast --algorithm chain --expand-collectives
expect 'the table is that of nccl-tests' 0 '# all_reduce on dgx-h100: 8 ranks on 1 node*profile h100-sxm (measured*size*count*type*redop*root*time*algbw*busbw*nvls/Simple*# Avg bus bandwidth*' '' collective dgx-h100 -b 1M -e 64M
expect 'a CSV has a line for each size' 0 $'operation,ranks,*\nall_gather,8,1,1024,*\nall_gather,8,1,2048,*' '' collective dgx-a100-80g --kind all_gather -b 1K -e 2K --csv -
given bare.txt '# Collective test starting: all_reduce_perf
#       size         count      type   redop    root     time   algbw   busbw #wrong
     1048576        262144     float     sum      -1    40.00   26.21   26.21      0'
expect 'of a log that does not tell its ranks they can be given' 0 '*2 ranks on 1 node*1048576*40.00*' '' collective dgx-a100-80g --against bare.txt --ranks 2
log='#  Rank  0 Group  0 Pid  1 on node1 device  0 [0x07] NVIDIA A100-SXM4-80GB
#  Rank  1 Group  0 Pid  1 on node1 device  1 [0x0b] NVIDIA A100-SXM4-80GB
# Collective test starting: all_reduce_perf
#       size         count      type   redop    root     time   algbw   busbw #wrong
     1048576        262144     float     sum      -1    40.00   26.21   26.21      0
   536870912     134217728     float     sum      -1   2838.0  189.17  189.17      0'
given log.txt "$log"
expect 'a log is set beside the prediction' 0 '*2 ranks on 1 node*measured*error*1048576*40.00*536870912*2838.0*Error of 2 sizes*' '' collective dgx-a100-80g --against log.txt
given log.txt "$log"
expect 'a log becomes a profile' 0 '' 'held out of the fit: 2 points*' import nccl-tests log.txt -o made.yaml
holds 'of the device that it names' made.yaml '*device: a100-sxm-80g*collectives:*points: made.nccl.csv*'
holds 'with its points beside it' made.nccl.csv $'op,dtype,ranks,bytes,time_s\nall_reduce,float,2,1048576,4e-05\n*'
holds 'and those of the kernels that the device is known by' made.yaml $'*\npoints: made.points\ngemm:*'
holds 'without a version the library is that of the known profile' made.yaml '*software: NCCL 2.27.3*'
made=$(<"$work/here/made.yaml") kernels=$(<"$work/here/made.points")
given made.yaml "$made"
given made.points "$kernels"
expect 'such a profile can be read' 0 '*gemm in bf16: * measured points*' '' profile show made.yaml
given log.txt "# nccl-tests version 2.17.1 nccl-headers=22807 nccl-library=22807
$log"
expect 'standard output has no points beside it' 0 '*software: NCCL 2.28.7*' 'held out of the fit: *' import nccl-tests log.txt
made=$(<"$work/stdout")
given made.yaml "$made"
expect 'and nothing that reads them' 0 '*device: a100-sxm-80g*collectives:*' '' profile show made.yaml
given log.txt "${log//A100-SXM4-80GB/L40S}"
expect 'a device without a profile is named' 2 '' "error: the catalogue has no profile of 'NVIDIA L40S': --device NAME is needed" import nccl-tests log.txt -o made.yaml
given log.txt "${log/all_reduce_perf/gather_perf}"
expect 'so is an operation without a model' 2 '' "log.txt: error: NCCL's model has no times of 'gather'" import nccl-tests log.txt -o made.yaml
given log.txt "${log% *26214*}"
expect 'a log that was cut is told where' 2 '' 'log.txt:5:1: error: * of the row*' import nccl-tests log.txt -o made.yaml
given t.csv $'op,dtype,ranks,bytes,time_s\nall_reduce,fp16,8,1048576,3.9e-5'
expect 'a profile is held against points' 0 '{*"kernel": "collectives",*"points": 1,*"outside_range": 0*' '' profile check a100-sxm-80g --against t.csv --json -
expect 'broadcast to a replicated mesh sends once' 0 '*send-recv*6.872 s*broadcast*859.6 ms*lower bound 859 ms*' '' collective '{node: p3.8xlarge, nodes: 4, fabric: {kind: star, link: eth-10}}' --reshard 'R@(2,4) -> R@(2,4)' --bytes 1GiB
expect 'as CSV, a line a strategy' 0 $'reshard,bytes,lower_bound_s,strategy,balance,time_s\n"R*,1048576,*,send-recv,none,*\n"R*,broadcast,order,*' '' collective dgx-h100 --reshard 'R@(1,2) -> R@(1,2)' --bytes 1MiB --csv -
expect 'also into a file' 0 '' '' collective dgx-h100 --reshard 'R@(1,2) -> R@(1,2)' --bytes 1MiB --csv r.csv -q
holds 'which has a header' r.csv $'reshard,bytes,*'
expect 'what a resharding does not have is refused' 2 '' 'error: --kind means nothing beside --reshard' collective dgx-h100 --reshard 'R@(1,2) -> R@(1,2)' --kind broadcast
expect 'sizes of a collective too' 2 '' 'error: --minbytes means nothing beside --reshard' collective dgx-h100 --reshard 'R@(1,2) -> R@(1,2)' -b 1M
expect 'an unknown operation is guessed' 2 '' "error: unknown operation 'allreduce'; did you mean 'all_reduce'[?]" collective dgx-h100 --kind allreduce
expect 'too many ranks are told' 2 '' 'error: 9 ranks, but the cluster has 8 devices' collective dgx-h100 --ranks 9
expect 'an algorithm that cannot is told' 2 '' "error: 'recursive-doubling' cannot do all_reduce over 6 ranks*" collective dgx-h100 --ranks 6 --algorithm recursive-doubling
expect 'a size that is none is told' 2 '' "error: --minbytes 'tiny' is no size*" collective dgx-h100 -b tiny
given bad.log 'hello'
expect 'what is no log is told' 2 '' 'bad.log: error: no measurements*' collective dgx-h100 --against bad.log
given bad.csv $'op,dtype,ranks,bytes,time_s\nall_reduce,fp16,8,x,1'
expect 'a broken table names its line' 2 '' "bad.csv:2:1: error: 'x' is no size" collective dgx-h100 --against bad.csv
expect 'a spec that is none is told' 2 '' "error: --reshard 'Q*': expected*character 1*" collective dgx-h100 --reshard 'Q@(1,1)'
expect 'meshes that are too large are told' 2 '' 'error: the two meshes need 16 devices*' collective dgx-h100 --reshard 'R@(2,4) -> R@(2,4)'

# Two nodes on one switch have one way each: nothing is drawn, and p50 and p95 are the time.
expect 'routes drawn by hash give a median and a 95th percentile' 0 '*"p50_s": *"p95_s": *' '' collective '{node: dgx-a100-80g, nodes: 2}' -b 1G -e 1G --routing ecmp --queue-pairs 4 --seeds 5 --json -
expect 'seeds without routing mean nothing' 2 '' 'error: --queue-pairs and --seeds go with --routing ecmp' collective dgx-h100 --seeds 3

# Switches that reduce: one of NCCL's ways in the network is chosen, and only over InfiniBand.
expect 'switches of InfiniBand reduce' 0 '* collnet_direct/Simple/*' '' collective '{node: dgx-a100-80g, nodes: 4, fabric: {kind: fat-tree, link: hdr, sharp: true}}' -b 256M -e 256M
expect 'those of Ethernet do not' 2 '' "CLUSTER:1:*: error: SHARP is of InfiniBand's switches, and the link is roce*" collective '{node: dgx-a100-80g, nodes: 4, fabric: {kind: fat-tree, link: roce-200, sharp: true}}'

# As a page, with the command that asks again; where its answer goes is no part of that.
expect 'a collective as a page' 0 '' '' collective '{node: dgx-h100, nodes: 2}' -b 1K -e 1M -q --html c.html
holds 'with its answer and its command' c.html "*\"kind\":\"collective\"*all_reduce of 1 MiB takes *\"command\":\"pipewright collective '{node: dgx-h100, nodes: 2}' -b 1K -e 1M\"*"
expect 'a resharding has no page' 2 '' 'error: this result has no page' collective dgx-h100 --reshard 'RS0R@(2,2) -> S01R@(2,2)' --html c.html

# Networks as measured: logs over several nodes become a network profile, and a cluster uses it.
given net.csv 'op,dtype,ranks,bytes,time_s,nodes,setting
all_reduce,fp32,16,1048576,0.0002,2,a
all_reduce,fp32,16,1048576,0.0004,2,b
all_reduce,fp32,16,4194304,0.0006,2,a
all_reduce,fp32,32,1048576,0.0005,4,a
all_reduce,fp32,32,4194304,0.001,4,a'
expect 'times over several nodes become a network profile' 0 '' 'sizes left out: no points, so that their error is not known' import nccl-tests net.csv -o net.yaml
holds 'with the median and the spread of repetitions' net.yaml '*pipewright.network/1*nodes: 2*time: 300 us*p5: 210 us*p95: 390 us*'
given net.csv 'op,dtype,ranks,bytes,time_s,nodes
all_reduce,fp32,16,1048576,0.0002,2'
expect 'ranks that the file contradicts are refused' 2 '' 'net.csv: error: times of 16 ranks, but --ranks says 8: leave --ranks out, the file says it' import nccl-tests net.csv --ranks 8 -o net.yaml
given net.csv 'op,dtype,ranks,bytes,time_s,nodes
all_reduce,fp32,15,1048576,0.0002,2'
expect 'ranks that do not divide by nodes are refused' 2 '' 'net.csv:2:1: error: 15 ranks do not divide by 2 nodes' import nccl-tests net.csv -o net.yaml
given net.yaml 'schema: pipewright.network/1
measured:
  - {operation: all_reduce, ranks_per_node: 8, nodes: 2, times: [{bytes: 1048576, time: 300 us}, {bytes: 4194304, time: 600 us}]}'
expect 'such a file can be checked' 0 '1 file without problems' '' check net.yaml
given net.yaml 'schema: pipewright.network/1
measured:
  - {operation: all_reduce, ranks_per_node: 8, nodes: 2, times: [{bytes: 1048576, time: 300 us}, {bytes: 4194304, time: 600 us}]}'
expect 'a fabric takes times as they were measured' 0 '*times as measured over up to 2 nodes*1048576*300.0*4194304*600.0*' '' collective '{node: dgx-h100, nodes: 2, fabric: {measured: net.yaml}}' -b 1M -e 4M -f 4
given net.yaml 'schema: pipewright.network/1
measured: []'
expect 'an empty profile is refused' 2 '' "net.yaml:2:11: error: 'measured' must be a list of measured collectives" collective '{node: dgx-h100, nodes: 2, fabric: {measured: net.yaml}}'
# 8 NICs of 50 GB/s reduced 1 GiB in 4.245 ms. 4 of them carry the gibibyte that has to leave a node in 5.369 ms.
faster='schema: pipewright.network/1
measured:
  - {operation: all_reduce, ranks_per_node: 8, nodes: 2, times: [{bytes: 1048576, time: 77 us}, {bytes: 1073741824, time: 4245 us}]}'
given net.yaml "$faster"
expect 'slower links than those that were measured have their say' 0 '*of a network with faster links: no time is below what these links allow*1073741824*5368.7*' '' collective '{node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: 4, measured: net.yaml}}' -b 1G -e 1G
given net.yaml "$faster"
expect 'the links that were measured have none' 0 $'*beyond them by a fit\n*1073741824*4245*' '' collective '{node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: 8, measured: net.yaml}}' -b 1G -e 1G
# A network that nobody measured deviates by 0.184: 1.28 times a half of that, and seven eighths.
for nodes in 4 16; do
  given net.yaml "$faster"
  text='0.89 to 1.13'
  (( nodes == 16 )) && text='0.81 to 1.23'
  expect "over $nodes nodes, of which two were measured, times are in doubt" 0 "*# \\* beyond the 2 nodes that were measured, by a fit: four in five networks take $text times as long*" '' collective "{node: dgx-h100, nodes: $nodes, fabric: {kind: fat-tree, link: ndr, nics: 8, measured: net.yaml}}" -b 1G -e 1G
done
given net.yaml "$faster"
expect 'what was not measured says whose factor it has' 0 '*times by the factor that was measured of all_reduce over up to 2 nodes*' '' collective '{node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: 8, measured: net.yaml}}' --kind all_to_all -b 1M -e 1M
given job.yaml 'model: gpt3-1.3b
cluster: {node: dgx-h100, nodes: 2}
schedule: 1f1b'
expect 'the cluster of an experiment is one' 0 '*16 ranks on 2 nodes*' '' collective job.yaml -b 1M -e 1M
expect 'a ring of messages is on all its ranks' 0 '*send_recv on *: 16 ranks on 2 nodes*' '' collective '{node: dgx-h100, nodes: 2}' --kind send_recv --ranks 16 -b 1G -e 1G
expect 'a pair is on one node' 0 '*send_recv on *: 2 ranks on 1 node*' '' collective '{node: dgx-h100, nodes: 2}' --kind send_recv -b 1G -e 1G
given net.yaml 'schema: pipewright.network/1
measured:
  - {operation: all_reduce, ranks_per_node: 8, nodes: 2, times: [{bytes: 1048576, time: 300 us}, {bytes: 4194304, time: 600 us}]}'
given log.csv 'op,dtype,ranks,bytes,time_s,nodes
all_reduce,fp32,16,1048576,0.0003,2
all_reduce,fp32,16,2097152,0.0005,2'
expect 'what the profile holds itself is known, not predicted' 0 '*1048576*300.0*known*2097152*500.0* %*# Known: *of 1 size*Error of 1 size*' '' collective '{node: dgx-h100, nodes: 2, fabric: {measured: net.yaml}}' --against log.csv
given mine/clusters/broken.yaml '{nodes: ['
PIPEWRIGHT_PATH=mine expect 'a cluster is read by its name, and no other of the catalogue' 0 '*all_reduce on dgx-h100: 8 ranks*' '' collective dgx-h100 -b 1M -e 1M
given two.csv 'op,dtype,ranks,bytes,time_s
all_reduce,fp32,8,1048576,0.0003
all_gather,fp32,4,1048576,0.0005'
expect 'what else the file measured is told' 0 '*all_reduce*1048576*300.0*# not shown of what was measured: all_gather over 4 ranks (fp32)*' '' collective dgx-h100 --against two.csv
given two.csv 'op,dtype,ranks,bytes,time_s
all_reduce,fp32,8,1048576,0.0003'
expect 'and what it holds where nothing is asked for' 2 '' 'two.csv: error: holds no times of this operation, ranks and type: it has all_reduce over 8 ranks (fp32)' collective dgx-h100 --against two.csv --kind all_gather
