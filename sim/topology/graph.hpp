// The inside of a node link by link, as a file gives it:
//
//   interconnect:
//     kind: graph
//     links:
//       - {between: [device 0, device 1], link: nvlink2}
//       - {between: [device 0, switch 0], link: {bandwidth: 31 GB/s, latency: 0.5 us, kind: pcie}}
//       - {between: [switch 0, host 0], link: pcie4}
//       - {between: [switch 0, nic 0], link: pcie4}
//
// Vertices are what the links name: device, switch, host (a socket), nic, each with its number.
// A node without hosts there has one on which all devices hang by their host links; one without
// nics has those that its fabric asks for, on the devices. NICs and devices do not forward.
#pragma once

#include <vector>

#include "config/value.hpp"
#include "topology/link.hpp"
#include "topology/wiring.hpp"

namespace pipewright {

namespace config {
class Catalogue;
}

struct GraphEnd {
  VertexKind kind = VertexKind::device;
  uint32_t index = 0;
  auto operator<=>(const GraphEnd&) const = default;
};

struct GraphLink {
  GraphEnd a, b;
  LinkType link;
};

/// `links` is the list. Throws InputError for what is no link between two such vertices of a node
/// of `devices`, and for NICs that are not numbered from 0 without a gap.
std::vector<GraphLink> read_graph(const config::Value& links, const config::Catalogue& catalogue,
                                  int devices);

/// Tells whether any link ends at a vertex of that kind.
bool names(const std::vector<GraphLink>& graph, VertexKind kind);

}  // namespace pipewright
