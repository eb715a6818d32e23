// The event loop: ports become free, packets arrive, acknowledgements return, flows begin and time
// out. What happens at one time happens in this order, and then by number.
#include "network/packet/packet_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/event_queue.hpp"
#include "base/mixed.hpp"
#include "base/stop.hpp"
#include "network/flow_starts.hpp"
#include "network/packet/ports.hpp"
#include "network/packet/senders.hpp"

namespace pipewright {
namespace {

enum Kind : uint32_t { port_is_free, arrival, acknowledgement, timer, beginning };
constexpr int kind_shift = 29;
constexpr uint32_t number_of = (1u << kind_shift) - 1;

Time later(Time now, Time by) {
  if (by > longest_time - now)
    throw Failure("the simulated time exceeds the clock's range of 106 days");
  return now + by;
}

Time return_latency(const PacketRoute& route) {
  Time sum;
  for (const PacketHop& hop : route) sum = later(sum, hop.latency);
  return sum;
}

uint32_t packets_of(const PacketFlow& flow, Bytes mtu) {
  const int64_t packets = std::max<int64_t>(1, (flow.bytes.count - 1) / mtu.count + 1);
  return static_cast<uint32_t>(std::min<int64_t>(packets, UINT32_MAX));
}

/// Plans a window of as many packets as keep the narrowest link of a route busy until the first is
/// acknowledged.
SenderPlan plan_of(const PacketFlow& flow, std::span<const Bandwidth> ports,
                   const PacketOptions& options) {
  if (flow.routes.empty()) return {.packets = 0};
  const PacketRoute& route = *flow.routes.front();
  Time narrowest, round_trip = later(return_latency(route), return_latency(route));
  for (const PacketHop& hop : route) {
    const Time length = options.mtu / ports[hop.port];
    narrowest = std::max(narrowest, length);
    round_trip = later(round_trip, length);
  }
  SenderPlan plan{.packets = packets_of(flow, options.mtu),
                  .routes = static_cast<uint32_t>(options.spray ? flow.routes.size() : 1),
                  .window = options.window,
                  .round_trip = round_trip};
  if (plan.window == 0 && narrowest == Time{}) plan.window = plan.packets;
  if (plan.window == 0)
    plan.window = static_cast<uint32_t>(
        std::min<int64_t>((round_trip.ps - 1) / narrowest.ps + 1, plan.packets));
  return plan;
}

std::vector<SenderPlan> plans_of(std::span<const PacketFlow> flows,
                                 std::span<const Bandwidth> ports, const PacketOptions& options) {
  std::vector<SenderPlan> plans;
  uint64_t packets = 0;
  for (const PacketFlow& flow : flows)
    packets += plans.emplace_back(plan_of(flow, ports, options)).packets;
  if (packets > most_packets) {
    throw Failure(
        fmt::format("these flows are {} packets and more, but at most {} can be "
                    "simulated: a larger mtu makes fewer, 'network: flow' none",
                    packets, most_packets));
  }
  return plans;
}

/// The route that each flow's next packet takes. Those of a sprayed flow are drawn, by a hash of
/// how many times the flow stood in line.
class DrawnRoutes {
 public:
  DrawnRoutes(size_t flows, const PacketOptions& options)
      : spray_(options.spray), seed_(options.seed), lines_(flows) {}

  uint32_t route(uint32_t flow) const { return lines_[flow].route; }
  uint32_t draw(uint32_t flow, size_t routes) {
    if (!spray_ || routes == 1) return 0;
    const uint64_t stream = mixed(mixed(seed_) ^ flow);
    return lines_[flow].route =
               static_cast<uint32_t>(mixed(stream + ++lines_[flow].times) % routes);
  }

 private:
  struct Line {
    uint32_t route = 0, times = 0;
  };
  bool spray_;
  uint64_t seed_;
  std::vector<Line> lines_;  // by flow
};

/// Tells whether the packet holds small gradients.
bool is_small(const Packet& packet, const PacketOptions& options) {
  if (options.small == 0) return false;
  const uint64_t drawn = mixed(mixed(options.seed ^ packet.flow) + packet.number);
  return static_cast<double>(drawn >> 11) * 0x1p-53 < options.small;
}

class Run {
 public:
  Run(std::span<const PacketFlow> flows, std::span<const Bandwidth> ports,
      const PacketOptions& options)
      : flows_(flows),
        options_(options),
        ports_(ports, flows.size(), options),
        senders_(plans_of(flows, ports, options), options, pool_),
        starts_(flows),
        drawn_(flows.size(), options),
        is_ready_(flows.size()),
        has_timer_(flows.size()) {
    ensure(std::max(flows.size(), ports.size()) <= number_of, "flows and ports are numbered");
    traffic_.dropped.resize(ports.size());
  }

  PacketTraffic run() {
    starts_.at_first([&](uint32_t flow, Time time) { push(time, beginning, flow); });
    std::vector<uint32_t> events;
    while (!queue_.empty()) {
      stop_here();
      now_ = queue_.take(events);
      traffic_.events += events.size();
      for (const uint32_t event : events) {
        handle(static_cast<Kind>(event >> kind_shift), event & number_of);
      }
      serve_all();
    }
    traffic_.flows = senders_.take_results();
    return std::move(traffic_);
  }

 private:
  void push(Time time, Kind kind, uint32_t number) {
    queue_.push(time, uint32_t{kind} << kind_shift | number);
  }

  void handle(Kind kind, uint32_t number) {
    switch (kind) {
      case port_is_free:
        ports_.is_due(number) = false;
        to_serve_.push_back(number);
        serve_all();  // so that there is room for what arrives now
        break;
      case arrival:
        arrive(number);
        break;
      case acknowledgement: {
        const uint32_t flow = pool_[number].flow;
        senders_.acknowledge(number, now_);
        offer(flow);
        break;
      }
      case timer:
        look_at_timer(number);
        break;
      case beginning:
        begin(number);
        break;
    }
  }

  void begin(uint32_t flow) {
    if (!flows_[flow].routes.empty()) return offer(flow);
    senders_.result(flow).end = now_;
    begin_followers(flow);
  }

  void begin_followers(uint32_t flow) {
    starts_.ended(flow, now_, [&](uint32_t next, Time time) { push(time, beginning, next); });
  }

  void look_at_timer(uint32_t flow) {
    has_timer_[flow] = false;
    if (senders_.deadline(flow) <= now_) {
      senders_.time_out(flow, now_);
      offer(flow);
    }
    set_timer(flow);
  }

  /// One event a flow at most: it looks again when it comes too early.
  void set_timer(uint32_t flow) {
    const Time deadline = senders_.deadline(flow);
    if (has_timer_[flow] || deadline == longest_time) return;
    has_timer_[flow] = true;
    push(deadline, timer, flow);
  }

  /// A flow that can send stands in line at the first port of its next packet's route.
  void offer(uint32_t flow) {
    if (is_ready_[flow] || !senders_.can_send(flow)) return;
    is_ready_[flow] = true;
    const auto& routes = flows_[flow].routes;
    const uint32_t port = routes[drawn_.draw(flow, routes.size())]->front().port;
    ports_.enqueue_flow(port, flows_[flow].priority, flow);
    wake(port);
  }

  void wake(uint32_t port) {
    if (ports_.idle(port, now_)) {
      to_serve_.push_back(port);
    } else if (!ports_.is_due(port)) {
      ports_.is_due(port) = true;
      push(ports_.free_at(port), port_is_free, port);
    }
  }

  void serve_all() {
    while (!to_serve_.empty()) {
      const uint32_t port = to_serve_.back();
      to_serve_.pop_back();
      while (ports_.waits(port) && ports_.idle(port, now_)) serve(port);
      if (ports_.waits(port)) wake(port);
    }
  }

  void serve(uint32_t port) {
    const Ports::Next next = ports_.pop(port, pool_);
    if (next.is_flow) return serve_flow(next.id);
    const Packet& packet = pool_[next.id];
    ports_.left(port, flows_[packet.flow].priority, size_of(packet));
    transmit(next.id);
  }

  void serve_flow(uint32_t flow) {
    is_ready_[flow] = false;
    if (!senders_.can_send(flow)) return;
    transmit(senders_.send(flow, drawn_.route(flow), now_));
    set_timer(flow);
    offer(flow);
  }

  const PacketRoute& route_of(const Packet& packet) const {
    return *flows_[packet.flow].routes[packet.route];
  }

  Bytes size_of(const Packet& packet) const {
    const int64_t rest =
        flows_[packet.flow].bytes.count - int64_t{packet.number} * options_.mtu.count;
    return {std::min(rest, options_.mtu.count)};
  }

  void transmit(PacketId id) {
    const Packet& packet = pool_[id];
    const PacketHop& hop = route_of(packet)[packet.hop];
    const Time end = ports_.occupy(hop.port, size_of(packet), now_);
    ++traffic_.sent;
    ensure(id <= number_of, "packets are numbered");
    push(later(end, hop.latency), arrival, id);
  }

  void arrive(PacketId id) {
    Packet& packet = pool_[id];
    const PacketRoute& route = route_of(packet);
    const uint32_t flow = packet.flow;
    const bool was_done = senders_.done(flow);
    if (++packet.hop == route.size()) {
      if (senders_.deliver(id, now_)) push(later(now_, return_latency(route)), acknowledgement, id);
    } else if (!goes_on(id, route[packet.hop].port)) {
      ++traffic_.dropped[route[packet.hop].port];
      if (is_small(packet, options_)) ++senders_.result(flow).dropped_small;
      senders_.drop(id, now_);
    }
    if (!was_done && senders_.done(flow)) begin_followers(flow);
  }

  /// Sends the packet on; false where it finds no room.
  bool goes_on(PacketId id, uint32_t port) {
    if (ports_.idle(port, now_) && !ports_.waits(port)) {
      transmit(id);
      return true;
    }
    Packet& packet = pool_[id];
    const int priority = flows_[packet.flow].priority;
    if (ports_.is_long(port, priority)) {
      if (is_small(packet, options_)) return false;
      packet.marked = true;
    }
    if (!ports_.enqueue(port, priority, id, size_of(packet), pool_)) return false;
    wake(port);
    return true;
  }

  std::span<const PacketFlow> flows_;
  PacketOptions options_;
  PacketPool pool_;
  Ports ports_;
  Senders senders_;
  FlowStarts<PacketFlow> starts_;
  EventQueue queue_;
  Time now_;
  std::vector<uint32_t> to_serve_;
  DrawnRoutes drawn_;
  std::vector<bool> is_ready_, has_timer_;  // by flow
  PacketTraffic traffic_;
};

}  // namespace

PacketTraffic run_packets(std::span<const PacketFlow> flows, std::span<const Bandwidth> ports,
                          const PacketOptions& options) {
  return Run(flows, ports, options).run();
}

}  // namespace pipewright
