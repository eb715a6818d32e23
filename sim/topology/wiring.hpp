// Vertices and links as the shapes lay them, before they become a Topology.
#pragma once

#include <string>
#include <vector>

#include "topology/link.hpp"

namespace pipewright {

using VertexId = uint32_t;
using LinkId = uint32_t;
using NodeId = uint32_t;
inline constexpr NodeId fabric = UINT32_MAX;  ///< the node of a vertex between nodes

enum class VertexKind : uint8_t {
  device,
  nic,
  host,
  node_switch,
  leaf,
  spine,
  core,
  memory,
  router
};

struct Vertex {
  VertexKind kind = VertexKind::device;
  NodeId node = fabric;
  uint32_t index = 0;  ///< among those of its kind in its node, of devices in the whole cluster
};

/// One direction. Links are laid in pairs: the other direction of link i is i ^ 1.
struct Link {
  VertexId from = 0, to = 0;
  LinkKind kind = LinkKind::other;
  Sharing sharing = Sharing::each_direction;
  // A route takes as few of these as it can, whatever its latency.
  bool joins_groups = false;
  bool of_host = false;  ///< PCIe, or a link that ends at a host
  Bandwidth bandwidth;
  Time latency;
};
constexpr LinkId opposite(LinkId link) { return link ^ 1u; }

struct Wiring {
  std::vector<Vertex> vertices;
  std::vector<Link> links;
  std::vector<VertexId> devices;  ///< by device number

  VertexId add(VertexKind kind, NodeId node, size_t index);
  /// The next device number.
  VertexId add_device(NodeId node);
  /// Adds links in both directions, alike.
  void connect(VertexId a, VertexId b, const LinkType& link);
  void connect(VertexId a, VertexId b, const LinkType& there, const LinkType& back);
  /// The same, between two groups of switches.
  void connect_groups(VertexId a, VertexId b, const LinkType& link);
};

/// "device 3", "node 0 nic 2", "leaf 5".
std::string name(const Vertex& vertex);

}  // namespace pipewright
