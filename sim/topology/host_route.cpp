#include "topology/host_route.hpp"

#include <algorithm>
#include <map>

#include "topology/region.hpp"

namespace pipewright {
namespace {

void go_over(const Topology& topology, LinkId id, Route& route) {
  const Link& link = topology.links()[id];
  route.links.push_back(id);
  route.latency += link.latency;
  route.bottleneck = std::min(route.bottleneck, link.bandwidth);
}

/// The nearest host and, by vertex on the way there, the link by which it was first reached.
std::optional<VertexId> find_host(const Topology& topology, VertexId device,
                                  std::map<VertexId, LinkId>& reached_by) {
  std::vector<VertexId> reached{device};
  for (size_t k = 0; k < reached.size(); ++k) {
    const VertexId at = reached[k];
    const VertexKind kind = topology.vertices()[at].kind;
    if (kind == VertexKind::host) return at;
    if (k > 0 && !forwards(kind)) continue;
    for (const LinkId id : topology.links_of(at)) {
      const VertexId to = topology.links()[id].to;
      const bool inside = topology.vertices()[to].node == topology.vertices()[device].node;
      if (!inside || to == device || !reached_by.try_emplace(to, id).second) continue;
      reached.push_back(to);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Route> host_route(const Topology& topology, int device) {
  std::map<VertexId, LinkId> reached_by;
  const VertexId start = topology.vertex(device);
  const std::optional<VertexId> host = find_host(topology, start, reached_by);
  if (!host) return std::nullopt;
  std::vector<LinkId> links;
  for (VertexId at = *host; at != start; at = topology.links()[links.back()].from)
    links.push_back(reached_by.at(at));
  Route route;
  for (auto link = links.rbegin(); link != links.rend(); ++link) go_over(topology, *link, route);
  for (const LinkId link : topology.links_of(*host))
    if (topology.vertices()[topology.links()[link].to].kind == VertexKind::memory)
      go_over(topology, link, route);
  return route;
}

}  // namespace pipewright
