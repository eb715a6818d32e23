#include "traffic/collective_draws.hpp"

#include <algorithm>

#include "network/footprint.hpp"

namespace pipewright {
namespace {

/// Seconds for each byte that goes around on the fullest link.
double fullest(const Topology& topology, std::span<const int> devices, SpreadRoutes& routes) {
  double most = 0;
  for (const LinkShare& share : merged(topology, rail_shares(devices, routes)))
    most = std::max(most, share.share / topology.links()[share.link].bandwidth.bytes_per_s);
  return most;
}

}  // namespace

std::vector<double> slowdowns(const Topology& topology, std::span<const int> devices,
                              const RouteDraws& draws) {
  SpreadRoutes evenly(topology, {.how = Spreading::How::all});
  const double even = fullest(topology, devices, evenly);
  SpreadRoutes drawn(topology, draws.spreading);
  std::vector<double> all;
  for (int draw = 0; draw < draws.seeds; ++draw) {
    drawn.draw_by(draws.spreading.seed + static_cast<uint64_t>(draw));
    all.push_back(even > 0 ? fullest(topology, devices, drawn) / even : 1);
  }
  std::sort(all.begin(), all.end());
  return all;
}

double quantile(std::span<const double> sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const double high = sorted[std::min(below + 1, sorted.size() - 1)];
  return sorted[below] + (place - static_cast<double>(below)) * (high - sorted[below]);
}

}  // namespace pipewright
