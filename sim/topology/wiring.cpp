#include "topology/wiring.hpp"

#include <fmt/format.h>

namespace pipewright {

VertexId Wiring::add(VertexKind kind, NodeId node, size_t index) {
  vertices.push_back({kind, node, static_cast<uint32_t>(index)});
  return static_cast<VertexId>(vertices.size() - 1);
}

VertexId Wiring::add_device(NodeId node) {
  devices.push_back(add(VertexKind::device, node, devices.size()));
  return devices.back();
}

void Wiring::connect(VertexId a, VertexId b, const LinkType& link) { connect(a, b, link, link); }

void Wiring::connect(VertexId a, VertexId b, const LinkType& there, const LinkType& back) {
  links.push_back({a, b, there.kind, there.sharing, there.bandwidth, there.latency});
  links.push_back({b, a, back.kind, back.sharing, back.bandwidth, back.latency});
}

std::string name(const Vertex& vertex) {
  constexpr std::string_view names[] = {"device", "nic",  "host",        "switch", "leaf",
                                        "spine",  "core", "host memory", "router"};
  const std::string own =
      fmt::format("{} {}", names[static_cast<size_t>(vertex.kind)], vertex.index);
  if (vertex.kind == VertexKind::device || vertex.node == fabric) return own;
  return fmt::format("node {} {}", vertex.node, own);
}

}  // namespace pipewright
