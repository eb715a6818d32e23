# shellcheck shell=bash
# Fabrics in YAML, and what was understood of them: the bisection is a cut through the links.

node='node: {device: {flops: {bf16: 1 TFLOP/s}, memory: 1 GiB, memory_bandwidth: 1 TB/s}}'

# 4 x 4 nodes: rows 0 and 1 meet rows 2 and 3 in two places of four columns each.
given torus.yaml "$node
nodes: 16
fabric: {kind: torus, dims: [4, 4], link: {bandwidth: 10 GB/s, latency: 1 us}}"
expect 'a torus is cut through two rings of every column' 0 '*# bisection: 80 GB/s each way *' '' list clusters torus.yaml

# cloud.google.com/tpu/docs/v6e: 3.2 TB/s across a pod. A cube of 8 is cut through 2 x 64 links.
expect 'a pod of TPU v6e has the bisection that is published' 0 '*# bisection: 3200 GB/s each way *' '' list clusters tpu-v6e-256
expect 'a slice of TPU v5p is cut through two planes of links' 0 '*# bisection: 12800 GB/s each way *' '' list clusters tpu-v5p-512

# Three groups of two routers, one link a group to each other: of the four links between the halves
# the three nodes fill three.
given dragonfly.yaml "$node
nodes: 6
fabric: {kind: dragonfly, routers: 2, nodes_per_router: 1, global_links: 1, link: {bandwidth: 10 GB/s, latency: 1 us}}"
expect 'the nodes of a dragonfly fill their links' 0 '*# bisection: 30 GB/s each way *' '' list clusters dragonfly.yaml

given line.yaml "$node
nodes: 2
fabric:
  kind: graph
  links:
    - {between: [node 0, switch 0], link: eth-100}
    - {between: [switch 0, switch 1], link: {bandwidth: 4 GB/s, latency: 1 us}}
    - {between: [switch 1, node 1], link: eth-100}"
expect 'an explicit graph is cut at its narrowest link' 0 '*# bisection: 4 GB/s each way *' '' list clusters line.yaml
given line.yaml "$node
nodes: 2
fabric:
  kind: graph
  links: [{between: [node 0, switch 0], link: eth-100}, {between: [node 0, node 2], link: eth-100}]"
expect 'a link to a node that is not there is told at its place' 2 '' "line.yaml:5:76: error: 'node 2', but the cluster has 2 nodes" list clusters line.yaml

given pair.yaml 'device: a100-sxm-80g
devices: 2
interconnect:
  kind: graph
  links: [{between: [device 0, device 1], link: {bandwidth: 100 GB/s, latency: 1 us, kind: nvlink}}]'
expect 'a node drawn link by link is drawn again' 0 '*device 0*device 1*100 GB/s*' '' list nodes pair.yaml --dot
given pair.yaml '{device: k80, interconnect: {kind: graph, link: pcie3}}'
expect 'the key of another kind is refused' 2 '' "pair.yaml:1:49: error: 'link' means nothing for an interconnect of kind 'graph'" list nodes pair.yaml
