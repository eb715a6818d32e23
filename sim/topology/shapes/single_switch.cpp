// Devices on one switch that never blocks: only the ports of the devices limit what goes through.
#include "topology/shapes/shapes.hpp"

namespace pipewright {

void wire_switch(Wiring& wiring, std::span<const VertexId> devices, const LinkType& link) {
  const VertexId center = wiring.add(VertexKind::leaf, fabric, 0);
  const Halves port = halves(link);
  for (const VertexId device : devices) wiring.connect(device, center, port.in, port.out);
}

}  // namespace pipewright
