#include "network/resharding/ways.hpp"

#include <algorithm>

namespace pipewright::resharding {

Ways ways_of(const Topology& topology, const Route& route) {
  const auto node = [&](VertexId vertex) { return topology.vertices()[vertex].node; };
  const auto crosses = [&](LinkId id) {
    const Link& link = topology.links()[id];
    return node(link.from) != node(link.to);
  };
  const auto first = std::find_if(route.links.begin(), route.links.end(), crosses);
  const auto last = std::find_if(route.links.rbegin(), route.links.rend(), crosses);
  return {topology.links()[*first].from, topology.links()[*last].to};
}

uint32_t rail_of(const Topology& topology, int device) {
  for (const LinkId id : topology.links_of(topology.vertex(device))) {
    const Vertex& to = topology.vertices()[topology.links()[id].to];
    if (to.kind == VertexKind::nic) return to.index;
  }
  return 0;
}

}  // namespace pipewright::resharding
