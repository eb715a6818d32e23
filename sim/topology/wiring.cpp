#include "topology/wiring.hpp"

#include <fmt/format.h>

#include <span>

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
  const auto is_host = [this](VertexId end) { return vertices[end].kind == VertexKind::host; };
  const auto lay = [&](VertexId from, VertexId to, const LinkType& link) {
    links.push_back({.from = from,
                     .to = to,
                     .kind = link.kind,
                     .sharing = link.sharing,
                     .of_host = link.kind == LinkKind::pcie || is_host(from) || is_host(to),
                     .bandwidth = link.bandwidth,
                     .latency = link.latency});
  };
  lay(a, b, there);
  lay(b, a, back);
}

void Wiring::connect_groups(VertexId a, VertexId b, const LinkType& link) {
  connect(a, b, link);
  for (Link& added : std::span(links).last(2)) added.joins_groups = true;
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
