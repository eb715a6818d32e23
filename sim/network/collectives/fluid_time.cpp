#include <algorithm>

#include "base/clock_exceeded.hpp"
#include "base/stop.hpp"
#include "network/collectives/edge_route.hpp"
#include "network/collectives/exchange_loads.hpp"

namespace pipewright::collective {
namespace {

constexpr size_t most_at_once = 32;  ///< sizes; their loads are held side by side

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

/// The fluids of some sizes, as they come.
class Fluids {
 public:
  Fluids(const Topology& topology, const Members& members, size_t sizes)
      : topology_(topology), members_(members), loads_(topology, sizes) {}

  void add(Fluid fluid) {
    const size_t size = latencies_.size();
    for (const Edge& edge : fluid.edges)
      for (const LinkId link : edge_route(topology_, members_, edge.from, edge.to).links)
        loads_.of(link)[size] += static_cast<double>(edge.bytes.count);
    latencies_.push_back(latency(topology_, members_, fluid));
    if (fluid.exchange) exchanges_.push_back(*std::move(fluid.exchange));
  }

  /// Returns their times, once all have come.
  std::vector<Time> times() {
    if (!exchanges_.empty()) add_exchanges(topology_, members_, exchanges_, loads_);
    std::vector<Time> busiest(latencies_.size()), all;
    for (LinkId link = 0; link < topology_.links().size(); ++link) {
      const std::span<const double> loads = loads_.of(link);
      for (size_t size = 0; size < busiest.size(); ++size) {
        const double bandwidth = topology_.links()[link].bandwidth.bytes_per_s;
        if (loads[size] > 0)
          busiest[size] = std::max(busiest[size], seconds(loads[size] / bandwidth));
      }
    }
    for (size_t size = 0; size < busiest.size(); ++size)
      all.push_back(later(latencies_[size], busiest[size]));
    return all;
  }

 private:
  const Topology& topology_;
  const Members& members_;
  LinkLoads loads_;
  std::vector<Time> latencies_;
  std::vector<Exchange> exchanges_;  // of all fluids, or of none
};

void add_exchange(const Members& members, const Exchange& exchange, std::vector<Edge>& edges) {
  const int n = members.size(), share = members.per_node();
  const auto sends = [&](int from, int to) {
    return exchange.along_rails ? from != to && from % share == to % share : from != to;
  };
  for (int from = 0; from < n; ++from)
    for (int to = 0; to < n; ++to)
      if (sends(from, to)) edges.push_back({from, to, exchange.to[static_cast<size_t>(to)]});
}

}  // namespace

std::vector<Edge> all_edges(const Members& members, const Fluid& fluid) {
  std::vector<Edge> edges = fluid.edges;
  if (fluid.exchange) add_exchange(members, *fluid.exchange, edges);
  return edges;
}

Time fluid_time(const Topology& topology, const Members& members, const Fluid& fluid) {
  Fluids one(topology, members, 1);
  one.add(fluid);
  return one.times().front();
}

std::vector<Time> fluid_times(const Topology& topology, const Members& members,
                              const Algorithm& algorithm, CollectiveKind kind,
                              std::span<const Bytes> sizes) {
  std::vector<Time> all;
  while (all.size() < sizes.size()) {
    const std::span<const Bytes> next =
        sizes.subspan(all.size(), std::min(most_at_once, sizes.size() - all.size()));
    Fluids fluids(topology, members, next.size());
    for (const Bytes bytes : next) {
      stop_here();
      fluids.add(algorithm.fluid(kind, members, bytes));
    }
    const std::vector<Time> times = fluids.times();
    all.insert(all.end(), times.begin(), times.end());
  }
  return all;
}

}  // namespace pipewright::collective
