#include <algorithm>

#include "base/clock_exceeded.hpp"
#include "network/collectives/edge_route.hpp"

namespace pipewright::collective {
namespace {

/// Latency of the chain by its hops.
Time latency(const Topology& topology, const Members& members, const Fluid& fluid) {
  Time sum, least = longest_time;
  for (const Hop& hop : fluid.chain) {
    const Time each = edge_route(topology, members, hop.from, hop.to).latency * hop.times;
    sum += each;
    least = std::min(least, each);
  }
  return fluid.spares_least && !fluid.chain.empty() ? sum - least : sum;
}

}  // namespace

Time fluid_time(const Topology& topology, const Members& members, const Fluid& fluid) {
  // Bytes, whole ones as far as a double has them: their sum may be more than an int64_t holds.
  std::vector<double> load(topology.links().size());
  Time busiest;
  for (const Edge& edge : fluid.edges) {
    for (const LinkId link : edge_route(topology, members, edge.from, edge.to).links) {
      const bool shared = topology.links()[link].sharing == Sharing::shared;
      load[shared ? std::min(link, opposite(link)) : link] += static_cast<double>(edge.bytes.count);
    }
  }
  for (LinkId link = 0; link < load.size(); ++link)
    busiest = std::max(busiest, seconds(load[link] / topology.links()[link].bandwidth.bytes_per_s));
  return later(latency(topology, members, fluid), busiest);
}

}  // namespace pipewright::collective
