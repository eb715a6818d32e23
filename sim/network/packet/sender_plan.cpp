#include "network/packet/sender_plan.hpp"

#include <algorithm>
#include <cmath>

#include "base/clock_exceeded.hpp"

namespace pipewright {

uint32_t packets_of(Bytes bytes, Bytes mtu) {
  const int64_t packets = std::max<int64_t>(1, (bytes.count - 1) / mtu.count + 1);
  return static_cast<uint32_t>(std::min<int64_t>(packets, UINT32_MAX));
}

Time return_latency(const PacketRoute& route) {
  Time sum;
  for (const PacketHop& hop : route) sum = later(sum, hop.latency);
  return sum;
}

SenderPlan plan_of(const PacketFlow& flow, std::span<const Bandwidth> ports,
                   const PacketOptions& options) {
  if (flow.routes.empty()) return {.packets = 0};
  const PacketRoute& route = *flow.routes.front();
  const auto has_no_limit = [&](const PacketHop& hop) {
    return std::isinf(ports[hop.port].bytes_per_s);
  };
  // Where packets take no time one stands for all.
  const auto routes = static_cast<uint32_t>(options.spray ? flow.routes.size() : 1);
  if (std::ranges::all_of(route, has_no_limit))
    return {.routes = routes,
            .round_trip = return_latency(route),
            .line_bytes_per_s = ports[route.front().port].bytes_per_s};
  Time narrowest, round_trip = later(return_latency(route), return_latency(route));
  for (const PacketHop& hop : route) {
    const Time length = options.mtu / ports[hop.port];
    narrowest = std::max(narrowest, length);
    round_trip = later(round_trip, length);
  }
  SenderPlan plan{.packets = packets_of(flow.bytes, options.mtu),
                  .routes = routes,
                  .window = options.window,
                  .round_trip = round_trip,
                  .line_bytes_per_s = ports[route.front().port].bytes_per_s};
  const bool has_rate = options.control == RateControl::dcqcn;
  if (plan.window == 0 && (has_rate || narrowest == Time{})) plan.window = plan.packets;
  if (plan.window == 0)
    plan.window = static_cast<uint32_t>(
        std::min<int64_t>((round_trip.ps - 1) / narrowest.ps + 1, plan.packets));
  return plan;
}

}  // namespace pipewright
