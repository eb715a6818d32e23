// Every node on one switch that never blocks: a data centre's network seen from far away, or links
// shaped to a given delay and rate. The latency of the link is from node to node, end to end; its
// bandwidth is that of one NIC of a node (one, unless `nics` says more), each way.
#include "topology/shapes/registry.hpp"

namespace pipewright {
namespace {

constexpr int most_nics = 1024;

void wire(Wiring& wiring, std::span<const NodeWiring> nodes, const config::Value& options,
          const config::Catalogue& catalogue) {
  const config::Fields fields(options, "a star fabric", {"kind", "link", "nics", "measured"});
  const LinkType link = read_link(fields.at("link"), catalogue);
  const int nics = static_cast<int>(fields.integer("nics", 1, 1, most_nics));
  const VertexId center = wiring.add(VertexKind::leaf, fabric, 0);
  for (NodeWiring node : nodes) {
    node.host_link.latency = {};
    for (const Nic& nic : add_nics(wiring, node, nics, link)) {
      LinkType port = link;
      port.bandwidth = nic.bandwidth;
      const Halves half = halves(port);
      wiring.connect(nic.vertex, center, half.in, half.out);
    }
  }
}

}  // namespace

const FabricShape shape::star{
    "star", "every node on one non-blocking switch; latency from end to end", wire};

}  // namespace pipewright
