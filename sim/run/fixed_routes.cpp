#include "run/fixed_routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "run/link_busy.hpp"

namespace pipewright {
namespace {

struct Uplinks {
  int all = 0, used = 0;
  double busiest_s = 0;
};

Uplinks uplinks_of(VertexId leaf, const Topology& topology, const LinkBytes& bytes) {
  Uplinks uplinks;
  for (const LinkId id : topology.links_of(leaf)) {
    const Link& link = topology.links()[id];
    if (topology.vertices()[link.to].kind != VertexKind::spine) continue;
    const double carried = bytes.of(id);
    ++uplinks.all;
    uplinks.used += carried > 0;
    uplinks.busiest_s = std::max(uplinks.busiest_s, carried / link.bandwidth.bytes_per_s);
  }
  return uplinks;
}

}  // namespace

std::string where_routes_pile_up(const Topology& topology, const LinkBytes& bytes, Time makespan) {
  const std::span<const Vertex> vertices = topology.vertices();
  for (VertexId vertex = 0; vertex < vertices.size(); ++vertex) {
    if (vertices[vertex].kind != VertexKind::leaf) continue;
    const Uplinks uplinks = uplinks_of(vertex, topology, bytes);
    if (uplinks.used == uplinks.all || uplinks.busiest_s < hardly_busy * in_seconds(makespan))
      continue;
    return fmt::format(
        "fixed routes use {} of the {} uplinks of {}; 'network: {{flow: {{routing: ecmp}}}}' draws "
        "one for each flow, 'spray' uses all",
        uplinks.used, uplinks.all, name(vertices[vertex]));
  }
  return {};
}

}  // namespace pipewright
