// Traffic of other jobs on a network that is shared with them.
//
// What a job sends between m nodes takes m^e times as long as in a quiet network, by expectation,
// and m^s times or more for one job of ten. e and s are of the kind of the network:
//
//              e     s
//   EFA (p5)   0.19  0.56
//   others     0     0      no table of many jobs is known; what published runs show of such
//   networks
//                           is in their residuals (result/ranges.hpp)
//
// Two clusters on EFA were measured. On one, 151 jobs sent 1 GiB over two nodes and 283 over eight.
// The slowest twentieth took 1.44 and 4.63 times as long as the quickest to all-reduce, and 1.53
// and 3.79 times to gather. s is 0.63 in the mean between these ends, and the tenth lies at 0.89 of
// the way, the logarithm taken for normal. The mean job took 1.21 and 1.94 times as long to
// all-reduce, and 1.31 and 2.92 times to gather, less the copies that its calls make: e is 0.38 in
// the mean. Source: nanotron/ultrascale-playbook, pp_comm_bandwidth.html. The other cluster was
// quiet (topologies/README.md, Between nodes). Nobody says which of the two a job will meet: half
// of 0.38.
//
// Beyond eight nodes both are nobody's measurement.
#pragma once

#include "topology/topology.hpp"

namespace pipewright {

/// Returns how many times as long messages between `nodes` take by expectation; 1 on one node.
double expected_load(LinkKind kind, int nodes);

/// Returns how many times as long as expected they take for one job of ten.
double busy_factor(LinkKind kind, int nodes);
/// The same for the links between the nodes of a topology.
double busy_factor(const Topology& topology, int nodes);

}  // namespace pipewright
