// Flows that are all known beforehand.
#include "network/packet/packet_network.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "network/flow_starts.hpp"
#include "network/packet/packet_simulation.hpp"

namespace pipewright {
namespace {

void check_number(std::span<const PacketFlow> flows, Bytes mtu) {
  uint64_t packets = 0;
  for (const PacketFlow& flow : flows)
    if (!flow.routes.empty()) packets += packets_of(flow.bytes, mtu);
  if (packets <= most_packets) return;
  throw Failure(
      fmt::format("these flows are {} packets and more, but at most {} can be "
                  "simulated: a larger mtu makes fewer, 'network: flow' none",
                  packets, most_packets));
}

}  // namespace

PacketTraffic run_packets(std::span<const PacketFlow> flows, std::span<const Bandwidth> ports,
                          const PacketOptions& options) {
  check_number(flows, options.mtu);
  PacketSimulation simulation(ports, options);
  for (const PacketFlow& flow : flows) simulation.add(flow);
  FlowStarts<PacketFlow> starts(flows);
  const auto begin = [&](uint32_t flow, Time time) { simulation.begin(flow, time); };
  starts.at_first(begin);
  for (Time now = simulation.run(longest_time); now < longest_time;
       now = simulation.run(longest_time))
    for (const uint32_t flow : simulation.ended()) starts.ended(flow, now, begin);
  return {simulation.take_results(), simulation.dropped(), simulation.sent(), simulation.events()};
}

}  // namespace pipewright
