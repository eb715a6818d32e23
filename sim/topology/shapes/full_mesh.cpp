// Every two devices joined directly, the lanes of a device spread evenly over the others (xGMI on
// eight MI300X: seven lanes, one to each other device). A pair has 1/(n-1) of a device's bandwidth,
// n counted in the whole node also where fewer are used.
// Source: stas00/ml-engineering, network/README.md (7 x 64 GB/s xGMI full mesh).
#include "topology/shapes/registry.hpp"

namespace pipewright {
namespace {

void wire(Wiring& wiring, NodeWiring& node, const LinkType& link, const config::Value&) {
  if (node.slots < 2) return;
  LinkType pair = link;
  pair.lanes = 1;
  pair.bandwidth.bytes_per_s = link.bandwidth.bytes_per_s / (node.slots - 1);
  for (size_t a = 0; a < node.devices.size(); ++a)
    for (size_t b = a + 1; b < node.devices.size(); ++b)
      wiring.connect(node.devices[a], node.devices[b], pair);
}

}  // namespace

const NodeShape shape::full_mesh{"full-mesh", "a direct link between every two devices", 32, wire};

}  // namespace pipewright
