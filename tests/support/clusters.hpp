// Clusters for tests, written as a user writes them.
#pragma once

#include <string_view>

#include "config/catalogue.hpp"
#include "topology/cluster/cluster.hpp"

namespace pipewright::test {

inline Cluster cluster_of(std::string_view yaml) {
  return read_cluster(config::parse(yaml, "cluster.yaml"), config::Catalogue());
}

/// Kinds of the links of a route, as "nvlink nvlink".
inline std::string kinds_of(const Topology& topology, const Route& route) {
  std::string kinds;
  for (const LinkId link : route.links) {
    if (!kinds.empty()) kinds += ' ';
    kinds += name(topology.links()[link].kind);
  }
  return kinds;
}

/// Vertices of one kind.
inline int count(const Topology& topology, VertexKind kind) {
  int n = 0;
  for (const Vertex& vertex : topology.vertices()) n += vertex.kind == kind;
  return n;
}

}  // namespace pipewright::test
