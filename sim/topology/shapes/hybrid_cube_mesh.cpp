// The eight GPUs of a DGX-1, p3.16xlarge or the like: two quads, each fully joined, and one link
// from each GPU to its twin in the other quad. P100 has four lanes, one for each neighbour; V100
// has six, so that two neighbours of each GPU are joined twice. Nodes with fewer devices have the
// first of the eight. GPUs do not forward: those without a link between them go over the host.
// Source: `nvidia-smi topo -m` of 8 x V100-SXM2 nodes, printed for instance in the environment
// section of the reports in Oneflow-Inc/OneFlow-Benchmark.
#include "topology/shapes/registry.hpp"

namespace pipewright {
namespace {

struct Pair {
  size_t a, b;
  int lanes_of_six;  ///< on a device with six lanes; one on a device with four
};
constexpr Pair pairs[] = {{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {1, 2, 2}, {1, 3, 1}, {2, 3, 2},
                          {4, 5, 1}, {4, 6, 1}, {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2},
                          {0, 4, 2}, {1, 5, 2}, {2, 6, 1}, {3, 7, 1}};

void wire(Wiring& wiring, NodeWiring& node, const LinkType& link, const config::Value& at) {
  if (link.lanes != 4 && link.lanes != 6)
    at.fail("a hybrid-cube-mesh needs a link with 4 or 6 'lanes', such as nvlink1 or nvlink2");
  for (const Pair& pair : pairs) {
    if (pair.b >= node.devices.size()) continue;
    LinkType joined = link;
    joined.lanes = link.lanes == 6 ? pair.lanes_of_six : 1;
    joined.bandwidth.bytes_per_s = link.bandwidth.bytes_per_s / link.lanes * joined.lanes;
    wiring.connect(node.devices[pair.a], node.devices[pair.b], joined);
  }
}

}  // namespace

const NodeShape shape::hybrid_cube_mesh{"hybrid-cube-mesh",
                                        "two quads with one link across each (DGX-1)", 8, wire};

}  // namespace pipewright
