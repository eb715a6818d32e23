// Every two devices joined by a link of their own with its own latency and bandwidth each way: how
// devices far apart are measured. Links share nothing, also at their ends.
#include "topology/shapes/shapes.hpp"

namespace pipewright {

void wire_matrix(Wiring& wiring, std::span<const VertexId> devices, const PairTable& table) {
  const size_t n = devices.size();
  const auto link = [&](size_t from, size_t to) {
    return LinkType{.bandwidth = table.bandwidth[from * n + to],
                    .latency = table.latency[from * n + to]};
  };
  for (size_t a = 0; a < n; ++a)
    for (size_t b = a + 1; b < n; ++b)
      wiring.connect(devices[a], devices[b], link(a, b), link(b, a));
}

}  // namespace pipewright
