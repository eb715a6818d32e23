// All devices on one non-blocking switch plane (NVSwitch): any two talk at the full bandwidth of a
// device's links, whatever the others do. Several switch chips act as one, as traffic is spread
// over them. The latency of the link, which is from device to device, is split between its halves.
// Source: NVIDIA, "NVSwitch technical overview" (2018); DGX A100 and H100 system architecture.
#include "topology/shapes/registry.hpp"

namespace pipewright {
namespace {

void wire(Wiring& wiring, NodeWiring& node, const LinkType& link, const config::Value&) {
  const VertexId plane = wiring.add(VertexKind::node_switch, node.node, 0);
  const Halves port = halves(link);
  for (const VertexId device : node.devices) wiring.connect(device, plane, port.in, port.out);
}

}  // namespace

const NodeShape shape::nvswitch{"nvswitch", "every device on one non-blocking switch", 4096, wire};

}  // namespace pipewright
