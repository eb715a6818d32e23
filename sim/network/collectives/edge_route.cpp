#include "network/collectives/edge_route.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace pipewright::collective {
namespace {

LinkId link_to_switch(const Topology& topology, int device) {
  for (const LinkId id : topology.links_of(topology.vertex(device))) {
    const Link& link = topology.links()[id];
    const bool to_switch = topology.vertices()[link.to].kind == VertexKind::node_switch;
    if (to_switch && link.kind != LinkKind::pcie) return id;
  }
  throw Failure(fmt::format("device {} is on no switch that could reduce", device));
}

}  // namespace

Route edge_route(const Topology& topology, const Members& members, int from, int to) {
  const int inside = members.in_switch();
  if (from != inside && to != inside)
    return topology.route(members.devices[from], members.devices[to]);
  const int device = members.devices[from == inside ? to : from];
  const LinkId up = link_to_switch(topology, device);
  const LinkId id = from == inside ? opposite(up) : up;
  const Link& link = topology.links()[id];
  return {.links = {id}, .latency = link.latency, .bottleneck = link.bandwidth};
}

}  // namespace pipewright::collective
