#include "network/packet/packet_route.hpp"

#include <cmath>

#include "network/flow_traffic.hpp"

namespace pipewright {

PacketRoute packet_route(const Topology& topology, const Route& route) {
  const std::vector<uint32_t> ports = shared_links(topology, route);
  PacketRoute hops;
  Time before;
  for (size_t k = 0; k < ports.size(); ++k) {
    const Link& link = topology.links()[route.links[k]];
    const bool is_last = k + 1 == ports.size();
    if (std::isfinite(link.bandwidth.bytes_per_s) || (hops.empty() && is_last)) {
      hops.push_back({ports[k], before + link.latency});
      before = {};
    } else {
      (hops.empty() ? before : hops.back().latency) += link.latency;
    }
  }
  return hops;
}

}  // namespace pipewright
