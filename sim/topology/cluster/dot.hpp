// A topology as Graphviz draws it.
#pragma once

#include <string>

#include "topology/cluster/cluster.hpp"

namespace pipewright {

/// An undirected graph: a box for each node, an edge for each pair of links, with bandwidth each
/// way and latency. Both ways stand on it where they differ.
std::string to_dot(const Cluster& cluster);

/// "25 GB/s", "unbounded".
std::string text_of(Bandwidth bandwidth);

}  // namespace pipewright
