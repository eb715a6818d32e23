# shellcheck shell=bash
# Experiments that say what happens themselves: GOAL traces and traffic.

two='trace: {goal: a.goal}
cluster: {devices: 2, link: {latency: 10 ns, bandwidth: 1 GB/s}}'
flows='traffic: f.csv
cluster: {devices: 4, link: {latency: 10 us, bandwidth: 1 GB/s}}'

# 100 ns, then 10 + 20 for the message, then 50.
given x.yaml "$two"
given a.goal 'num_ranks 2
rank 0 {
l1: calc 100
l2: send 20b to 1 tag 3
l2 requires l1
}
rank 1 {
l1: recv 20b from 0 tag 3
l2: calc 50
l2 requires l1
}'
expect 'a trace has its time' 0 '*4 ops of 2 ranks*180 ns*' '' simulate x.yaml -o made
holds 'a result' made/result.json '*"iteration_time_s": 1.8e-07*'
holds 'and a timeline' made/trace.json '*"name":"message of l2"*'
given x.yaml "$two"
given a.goal 'num_ranks 2
rank 0 {
send 20b to 1
}
rank 1 {
}'
expect 'a send without a receive names itself' 2 '' "a.goal:3:1: error: rank 0's op at line 3 sends 20 bytes to rank 1 with tag 0, *" simulate x.yaml
given x.yaml "$two"
circle='num_ranks 2
rank 0 {
a: recv 1b from 1
b: send 1b to 1
b requires a
}
rank 1 {
c: recv 1b from 0
d: send 1b to 0
d requires c
}'
given a.goal "$circle"
expect 'a trace that waits for itself is wrong input' 2 '' "a.goal: error: deadlock: rank 0's a waits for *rank 1's d waits for *" simulate x.yaml
given a.goal "$circle"
expect 'nor is it imported' 2 '' "a.goal:3:1: error: rank 0's a waits for the message of rank 1's d *: a circle" import goal a.goal
given x.yaml "$two"
given a.goal 'num_ranks 3
rank 0 {
}
rank 1 {
}
rank 2 {
}'
expect 'a trace needs a device for each rank' 2 '' "x.yaml:2:10: error: the cluster has 2 devices, but 'a.goal' has 3 ranks*" simulate x.yaml
given x.yaml "$two"
given a.goal 'num_ranks 2
rank 0 {
calc 99999999999999999999'
expect 'a number beyond all range is refused' 2 '' 'a.goal:3:6: error: *' simulate x.yaml
given x.yaml "$two"
expect 'a trace that is not there is told where it is named' 2 '' "x.yaml:1:15: error: cannot read file 'a.goal'" simulate x.yaml
given x.yaml "$two"
given a.goal $'\x7fELF\x02\x01\xff\xfe'
expect 'a binary file is no trace' 2 '' 'a.goal:1:1: error: *' simulate x.yaml
given x.yaml "$two"
given a.goal 'num_ranks 1
rank 0 {
}'
expect 'a trace has no schedule to compare' 2 '' "x.yaml:1:*: error: compare needs an experiment with a schedule, and one with 'trace' has none: *" compare x.yaml
given x.yaml "$two"
given a.goal 'num_ranks 1
rank 0 {
}'
expect 'nor one to plan' 2 '' "x.yaml:1:*: error: plan needs an experiment with a schedule, and one with 'trace' has none: *" plan x.yaml
given x.yaml "$two"
given a.goal 'num_ranks 1
rank 0 {
}'
expect 'nor one to export' 2 '' "x.yaml:1:*: error: an experiment with 'trace' has no schedule: 'pipewright simulate' runs it*" export goal x.yaml

# 1 MB at 1 GB/s after 10 us.
given x.yaml "$flows"
given f.csv 'from,to,bytes,start
0,1,1 MB,0
0,2,1 MB,5 us'
expect 'flows come back in the order given' 0 '*"flows": \[*"from": 0, "to": 1, "bytes": 1000000, "start_s": 0.0, "end_s": 0.00101*"to": 2*"end_s": 0.001015*' '' simulate x.yaml --set network=alpha-beta --json -
# Two that come to one device at once would have it receive twice what its link carries.
given x.yaml "$flows"
given f.csv 'from,to,bytes,start
0,1,1 MB,0
2,1,1 MB,0'
expect 'a network without shares says that links are too full' 0 '*over 100 %: alpha-beta shares no links*' '' simulate x.yaml --set network=alpha-beta
given x.yaml "$flows"
given f.csv 'from,to,bytes,start
0,1,1 MB,0
0,2,1 MB,0'
expect 'or share a port' 0 '*2 flows between 3 devices*2.01 ms*' '' simulate x.yaml
given x.yaml "$flows"
given f.csv 'from,to,bytes
0,1,1 MB
0,4,1 MB'
expect 'a device that is not there is told at its line' 2 '' 'f.csv:3:3: error: device 4 is not there: *' simulate x.yaml
given x.yaml "$flows"
given f.csv 'from,to,bytes
0,1'
expect 'a row that lacks a cell is told at its line' 2 '' 'f.csv:2:1: error: expected 3 cells, as the header has, found 2' simulate x.yaml
given x.yaml "$two"
given a.goal 'num_ranks 2
rank 0 {'
expect 'a trace that breaks off is told at its line' 2 '' 'a.goal:3:1: error: the file ends inside of rank 0*' simulate x.yaml

# 1F1B takes (m + p - 1) (f + b) = 5 times 3 ms, and 6 times 10 us for the hops there and back.
pipeline='model: {synthetic: {devices: 4, microbatches: 2, forward: 1 ms, backward: 2 ms}}
cluster: {devices: 4, link: {latency: 10 us}}
schedule: 1f1b'
given x.yaml "$pipeline"
expect 'what an experiment lowers to goes out as GOAL' 0 $'num_ranks 4\n\nrank 0 {\nl0: calc 1000000 cpu 0\n*send 0b to 1 tag *' '' export goal x.yaml
given x.yaml "$pipeline"
expect 'into a file' 0 '' '' export goal x.yaml -o x.goal
holds 'which is whole' x.goal $'num_ranks 4\n*\nrank 3 {\n*}'
given x.yaml "$pipeline"
expect 'what GOAL cannot say is refused' 2 '' '*error: GOAL*p2p: async*' export goal x.yaml -o x.goal --set 'overlap={p2p: sender}'
given deep/a.goal 'num_ranks 2
rank 0 {
send 20b to 1
}
rank 1 {
recv 20b from 0
}'
expect 'a trace becomes an experiment' 0 '' '' import goal deep/a.goal -o x.yaml
holds 'that finds it' x.yaml '*goal: deep/a.goal*devices: 2*'
given a.goal 'num_ranks 1
rank 0 {
send 20b to 0
}'
expect 'a trace that cannot run becomes none' 2 '' "a.goal:3:1: error: *more such sends*" import goal a.goal -o x.yaml

# As Chakra: a file a rank.
given x.yaml "$pipeline"
expect 'what an experiment lowers to goes out as Chakra' 0 '' '' export chakra x.yaml -o made
holds 'a file for each rank' made.3.et '*duration_ns*'
given x.yaml "$pipeline"
expect 'Chakra needs a prefix' 2 '' '*needs -o PREFIX*' export chakra x.yaml
# data/pair is this pipeline on two devices: F of 1 ms, a hop of 10 us, twice F and B on the second
# device, a hop, B of 2 ms.
pair=$(dirname "$cases")/data/pair
given x.yaml "trace: {chakra: $pair}
cluster: {devices: 2, link: {latency: 10 us}}"
expect 'a Chakra trace has its time' 0 '*ops of 2 ranks*9.02 ms*' '' simulate x.yaml
expect 'and becomes an experiment' 0 '*chakra: *data/pair*devices: 2*' '' import chakra "$pair"
given y.yaml 'trace: {chakra: nowhere}
cluster: {devices: 2, link: {latency: 10 ns, bandwidth: 1 GB/s}}'
expect 'a Chakra trace that is not there is told where it is named' 2 '' "y.yaml:1:17: error: no Chakra trace 'nowhere': the files of its ranks are 'nowhere.0.et', *" simulate y.yaml
given y.yaml 'trace: {chakra: bad}
cluster: {devices: 2, link: {latency: 10 ns, bandwidth: 1 GB/s}}'
given bad.0.et 'no protobuf at all'
expect 'a file that is no Chakra trace names itself' 2 '' 'bad.0.et: error: message 1, at byte 0, *' simulate y.yaml

# NCCL's picture of a node: two H100 of 18 NVLinks on switches that it cannot see.
given topo.xml '<system version="1"><cpu numaid="0" vendor="GenuineIntel">
<pci busid="0000:10:00.0" class="0x030200" device="0x2330" link_speed="32.0 GT/s PCIe" link_width="16"><gpu dev="0" sm="90"><nvlink target="fffffff" count="18" tclass="0x068000"/></gpu></pci>
<pci busid="0000:11:00.0" class="0x030200" device="0x2330" link_speed="32.0 GT/s PCIe" link_width="16"><gpu dev="1" sm="90"><nvlink target="fffffff" count="18" tclass="0x068000"/></gpu></pci>
</cpu></system>'
expect 'the topology that NCCL dumps becomes a node' 0 '*name: "ours"*device: h100-sxm*devices: 2*kind: graph*bandwidth: 450 GB/s*' '' import nccl-topology topo.xml --name ours
given topo.xml '<system version="9"></system>'
expect 'a topology of another version is refused' 2 '' "topo.xml: error: an NCCL topology of version '9'*" import nccl-topology topo.xml
given topo.xml '<system version="1"><cpu'
expect 'XML that breaks off is told at its line' 2 '' 'topo.xml:*: error: no XML: *' import nccl-topology topo.xml
expect 'a kind that cannot be imported suggests the nearest' 2 '' "error: cannot import 'chakar'; there are: *; did you mean 'chakra'[?]" import chakar x

crowd='traffic: [{from: 0, to: 3, bytes: 10 MB}, {from: 1, to: 3, bytes: 10 MB}, {from: 2, to: 3, bytes: 10 MB}]
cluster: {devices: 4, link: {latency: 5 us, bandwidth: 10 Gb/s}}'
given x.yaml "$crowd"
expect 'packets of small gradients are dropped where others are marked' 0 '*with small gradients*' '' simulate x.yaml --set 'network={packet: {mark: 30 KiB, small: 50%, control: dctcp}}'
given x.yaml "$crowd"
expect 'who slows down by marks needs them' 2 '' "*error: dctcp needs 'mark', the bytes behind which a port marks packets" simulate x.yaml --set 'network={packet: {control: dctcp}}'
given x.yaml "$crowd"
expect 'small gradients are dropped where there are marks' 2 '' "*error: small gradients are dropped where others are marked: give 'mark'" simulate x.yaml --set 'network={packet: {small: 50%}}'

# Ranks of a trace wait for messages: there is no pipeline with a bubble.
given ring.goal 'num_ranks 2
rank 0 {
a: calc 1000
s: send 1024b to 1 tag 1
s requires a
}
rank 1 {
r: recv 1024b from 0 tag 1
}'
given ring.yaml '{trace: {goal: ring.goal}, cluster: {devices: 2, link: {latency: 5 us, bandwidth: 25 GB/s}}}'
expect 'a trace has no bubble' 0 '*. waiting *' '' simulate ring.yaml

# Weights are relative, however small, large or many they are.
pair='cluster: {devices: 4, link: {latency: 0 ns, bandwidth: 400 GB/s}}
network: flow'
given x.yaml "traffic: [{from: 0, to: 1, bytes: 1 GB, weight: 0.001}, {from: 0, to: 1, bytes: 1 GB, start: 1 ms, weight: 1000}]
$pair"
expect 'a heavy flow comes to a light one and takes all' 0 '*5 ms  200 GB/s*3.5 ms  400 GB/s*' '' simulate x.yaml
given x.yaml "traffic: [{from: 0, to: 1, bytes: 1 GB, weight: 0.000001}, {from: 2, to: 1, bytes: 1 GB, weight: 0.000001}]
$pair"
expect 'light flows of many connections' 0 '*5 ms  200 GB/s*5 ms  200 GB/s*' '' simulate x.yaml --set 'network={flow: {routing: ecmp, queue_pairs: 1024}}'
given x.yaml "traffic: [{from: 0, to: 1, bytes: 1 GB, weight: 0.000001}, {from: 2, to: 1, bytes: 1 GB, weight: 1000000}]
$pair"
expect 'weights that cannot be held together are refused' 2 '' 'x.yaml:1:10: error: weights from 9.76562e-10 to 976.562 of parts of flows differ too much*' simulate x.yaml --set 'network={flow: {routing: ecmp, queue_pairs: 1024}}'
given f.csv "$(echo from,to,bytes,start,weight; for _ in $(seq 1500); do echo 0,1,1000000,0,1e6; done)"
given x.yaml "traffic: f.csv
$pair"
expect 'heavy flows, and many' 0 '*first to last   3.75 ms*' '' simulate x.yaml
given ring.goal 'num_ranks 1
rank 0 {
calc 1
}'
expect 'a program in GOAL is a part of an experiment' 2 '' "error: 'ring.goal' is a program in GOAL: write a file with 'trace: {goal: ring.goal}'*" simulate ring.goal
given a.goal 'num_ranks 2
rank 0 {
s: send 1000b to 1 tag 0
}
rank 1 {
r: recv 1000b from 0 tag 0
}'
given x.yaml 'trace: {goal: a.goal}
cluster: {node: {devices: 1}, nodes: 2, fabric: {kind: star, link: {latency: 1 us, bandwidth: 1 GB/s}}}'
expect 'nodes of a network need no device' 0 '*2 ops of 2 ranks*2 us*' '' simulate x.yaml
expect 'a model does' 2 '' "--set *error: the cluster must say which devices it has*" simulate gpt3-175b-selene --set 'cluster={node: {devices: 8}, nodes: 96, fabric: {kind: star, link: ndr}}'
given x.yaml 'trace: a.goal
cluster: {devices: 2, link: {latency: 0 s}}'
expect 'a trace is a map' 2 '' "x.yaml:1:8: error: a trace is a map such as '{goal: a.goal}'" simulate x.yaml
