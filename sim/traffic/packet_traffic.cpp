// The flows of a traffic experiment as packets.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/clock_exceeded.hpp"
#include "network/flow_traffic.hpp"
#include "network/packet/packet_route.hpp"
#include "traffic/traffic.hpp"

namespace pipewright {
namespace {

/// Routes by pair of devices, found once.
class PacketRoutes {
 public:
  PacketRoutes(const Topology& topology, bool all) : topology_(topology), all_(all) {}

  const std::vector<PacketRoute>& of(const GivenFlow& flow) {
    const auto [found, is_new] = routes_.try_emplace({flow.from, flow.to});
    if (is_new) find(flow, found->second);
    return found->second;
  }

 private:
  void find(const GivenFlow& flow, std::vector<PacketRoute>& routes) const {
    try {
      for (const Route& route : topology_.equal_cost_routes(flow.from, flow.to, all_ ? 64 : 1))
        routes.push_back(packet_route(topology_, route));
    } catch (const Failure& no_route) {
      throw InputError(flow.mark.where(), no_route.what());
    }
  }

  const Topology& topology_;
  bool all_;
  std::map<std::pair<int, int>, std::vector<PacketRoute>> routes_;
};

/// Returns the seconds of a byte where routes are filled as evenly as links allow: at each place
/// along its route a packet crosses one link of those that the routes have there.
double least_seconds_per_byte(const std::vector<PacketRoute>& routes,
                              const std::vector<Bandwidth>& ports) {
  const size_t places = std::ranges::min(routes, {}, &PacketRoute::size).size();
  double seconds_per_byte = 0;
  for (size_t place = 0; place < places; ++place) {
    std::set<uint32_t> crossed;
    for (const PacketRoute& route : routes) crossed.insert(route[place].port);
    double bytes_per_s = 0;
    for (const uint32_t port : crossed) bytes_per_s += ports[port].bytes_per_s;
    seconds_per_byte = std::max(seconds_per_byte, 1 / bytes_per_s);
  }
  return seconds_per_byte;
}

double least_latency_s(const std::vector<PacketRoute>& routes) {
  double least = std::numeric_limits<double>::infinity();
  for (const PacketRoute& route : routes) {
    double latency = 0;
    for (const PacketHop& hop : route) latency += in_seconds(hop.latency);
    least = std::min(least, latency);
  }
  return least;
}

void check_priority(const GivenFlow& flow, const PacketOptions& options) {
  if (flow.priority < options.priorities) return;
  throw InputError(flow.mark.where(),
                   fmt::format("priority {} is not there: the network has {}, from 0 to {}",
                               flow.priority, options.priorities, options.priorities - 1));
}

}  // namespace

bool is_drawn(const std::vector<GivenFlow>& flows, const Topology& topology,
              const PacketOptions& options) {
  if (options.small > 0) return true;
  if (!options.spray) return false;
  std::set<std::pair<int, int>> seen;
  return std::ranges::any_of(flows, [&](const GivenFlow& flow) {
    return flow.from != flow.to && seen.emplace(flow.from, flow.to).second &&
           topology.equal_cost_routes(flow.from, flow.to, 2).size() > 1;
  });
}

std::vector<Time> least_packet_ends(const std::vector<GivenFlow>& flows, const Topology& topology,
                                    const PacketOptions& options) {
  PacketRoutes routes(topology, options.spray);
  const std::vector<Bandwidth> ports = shared_capacities(topology);
  std::vector<Time> ends;
  for (const GivenFlow& flow : flows) {
    const Time begin = begin_of(flow, ends);
    Time& end = ends.emplace_back(begin);
    if (flow.from == flow.to) continue;
    const std::vector<PacketRoute>& all = routes.of(flow);
    const double bytes = static_cast<double>(flow.bytes.count);
    end = later(begin, seconds(least_latency_s(all) + bytes * least_seconds_per_byte(all, ports)));
  }
  return ends;
}

PacketTraffic packet_traffic(const std::vector<GivenFlow>& flows, const Topology& topology,
                             const PacketOptions& options) {
  PacketRoutes routes(topology, options.spray);
  std::vector<PacketFlow> packets;
  for (const GivenFlow& flow : flows) {
    check_priority(flow, options);
    PacketFlow& one = packets.emplace_back();
    if (flow.from != flow.to)
      for (const PacketRoute& route : routes.of(flow)) one.routes.push_back(&route);
    one.bytes = flow.bytes;
    one.start = flow.start;
    one.priority = flow.priority;
    one.after = flow.after;
    one.delay = flow.delay;
  }
  return run_packets(packets, shared_capacities(topology), options);
}

}  // namespace pipewright
