// A node as its file draws it, link by link: PCIe trees with their sockets and NICs, meshes that
// have no name. A link's latency is its own; switches do not block. What graph.hpp says of hosts
// and NICs that are not drawn holds. Links of devices that are not used are left out.
#include <map>

#include "topology/graph.hpp"
#include "topology/shapes/registry.hpp"

namespace pipewright {
namespace {

void wire(Wiring& wiring, NodeWiring& node, const LinkType&, const config::Value&) {
  std::map<GraphEnd, VertexId> laid;
  const auto vertex = [&](const GraphEnd& end) {
    if (end.kind == VertexKind::device) return node.devices[end.index];
    const auto [found, is_new] = laid.try_emplace(end);
    if (is_new) found->second = wiring.add(end.kind, node.node, end.index);
    return found->second;
  };
  const auto is_used = [&](const GraphEnd& end) {
    return end.kind != VertexKind::device || end.index < node.devices.size();
  };
  for (const GraphLink& link : node.graph) {
    if (!is_used(link.a) || !is_used(link.b)) continue;
    const VertexId a = vertex(link.a), b = vertex(link.b);
    wiring.connect(a, b, link.link);
  }
  for (const auto& [end, id] : laid)
    if (end.kind == VertexKind::nic) node.own_nics.push_back(id);
}

}  // namespace

const NodeShape shape::graph{"graph", "link by link, as 'links' gives them", 4096, wire};

}  // namespace pipewright
