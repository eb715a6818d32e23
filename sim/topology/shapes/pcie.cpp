// Nothing but the host joins the devices: every transfer goes up one device's host link and down
// the other's. The host itself is taken as non-blocking; sockets and PCIe switches below it are
// not told apart.
#include "topology/shapes/registry.hpp"

namespace pipewright {
namespace {

void wire(Wiring&, NodeWiring&, const LinkType&, const config::Value&) {}

}  // namespace

const NodeShape shape::pcie{"pcie", "devices joined through their host only", 4096, wire};

}  // namespace pipewright
