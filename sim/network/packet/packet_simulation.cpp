// The event loop: ports become free, packets arrive, acknowledgements return, flows begin and time
// out. What happens at one time happens in this order, and then by number.
#include "network/packet/packet_simulation.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/stop.hpp"

namespace pipewright {
namespace {

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

/// Plans a window of as many packets as keep the narrowest link of a route busy until the first is
/// acknowledged.
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
    return {.routes = routes, .round_trip = return_latency(route)};
  Time narrowest, round_trip = later(return_latency(route), return_latency(route));
  for (const PacketHop& hop : route) {
    const Time length = options.mtu / ports[hop.port];
    narrowest = std::max(narrowest, length);
    round_trip = later(round_trip, length);
  }
  SenderPlan plan{.packets = packets_of(flow.bytes, options.mtu),
                  .routes = routes,
                  .window = options.window,
                  .round_trip = round_trip};
  if (plan.window == 0 && narrowest == Time{}) plan.window = plan.packets;
  if (plan.window == 0)
    plan.window = static_cast<uint32_t>(
        std::min<int64_t>((round_trip.ps - 1) / narrowest.ps + 1, plan.packets));
  return plan;
}

/// Tells whether the packet holds small gradients.
bool is_small(const Packet& packet, const PacketOptions& options) {
  if (options.small == 0) return false;
  const uint64_t drawn = mixed(mixed(options.seed ^ packet.flow) + packet.number);
  return static_cast<double>(drawn >> 11) * 0x1p-53 < options.small;
}

}  // namespace

uint32_t packets_of(Bytes bytes, Bytes mtu) {
  const int64_t packets = std::max<int64_t>(1, (bytes.count - 1) / mtu.count + 1);
  return static_cast<uint32_t>(std::min<int64_t>(packets, UINT32_MAX));
}

PacketSimulation::PacketSimulation(std::span<const Bandwidth> ports, const PacketOptions& options)
    : rates_(ports.begin(), ports.end()),
      options_(options),
      ports_(ports, options),
      senders_(options, pool_),
      drawn_(options),
      dropped_(ports.size()) {
  ensure(ports.size() <= number_of, "ports are numbered");
}

uint32_t PacketSimulation::add(const PacketFlow& flow) {
  const uint32_t number = senders_.add(plan_of(flow, rates_, options_));
  ensure(number <= number_of, "flows are numbered");
  if (number == flows_.size()) {
    flows_.emplace_back();
    ports_.expect_flows(flows_.size());
    drawn_.expect_flows(flows_.size());
  }
  flows_[number] = {.routes = flow.routes, .bytes = flow.bytes, .priority = flow.priority};
  return number;
}

Time PacketSimulation::run(Time until) {
  ended_.clear();
  while (ended_.empty() && !queue_.empty() && (until == longest_time || queue_.next() <= until))
    step();
  return ended_.empty() ? longest_time : now_;
}

void PacketSimulation::step() {
  stop_here();
  now_ = queue_.take(happening_);
  events_ += happening_.size();
  for (const uint32_t event : happening_)
    handle(static_cast<Kind>(event >> kind_shift), event & number_of);
  serve_all();
}

void PacketSimulation::push(Time time, Kind kind, uint32_t number) {
  queue_.push(time, static_cast<uint32_t>(kind) << kind_shift | number);
}

void PacketSimulation::handle(Kind kind, uint32_t number) {
  switch (kind) {
    case Kind::port_is_free:
      ports_.is_due(number) = false;
      to_serve_.push_back(number);
      serve_all();  // so that there is room for what arrives now
      break;
    case Kind::arrival:
      arrive(number);
      break;
    case Kind::acknowledgement: {
      const uint32_t flow = pool_[number].flow;
      senders_.acknowledge(number, now_);
      offer(flow);
      forget_if_over(flow);
      break;
    }
    case Kind::timer:
      look_at_timer(number);
      break;
    case Kind::beginning:
      begin_now(number);
      break;
  }
}

void PacketSimulation::begin_now(uint32_t flow) {
  if (!flows_[flow].routes.empty()) return offer(flow);
  senders_.result(flow).end = now_;
  ended_.push_back(flow);
}

void PacketSimulation::look_at_timer(uint32_t flow) {
  flows_[flow].has_timer = false;
  if (senders_.deadline(flow) <= now_) {
    senders_.time_out(flow, now_);
    offer(flow);
  }
  set_timer(flow);
  forget_if_over(flow);
}

/// One event a flow at most: it looks again when it comes too early.
void PacketSimulation::set_timer(uint32_t flow) {
  const Time deadline = senders_.deadline(flow);
  if (flows_[flow].has_timer || deadline == longest_time) return;
  flows_[flow].has_timer = true;
  push(deadline, Kind::timer, flow);
}

/// A flow that can send stands in line at the first port of its next packet's route.
void PacketSimulation::offer(uint32_t flow) {
  if (flows_[flow].is_ready || !senders_.can_send(flow)) return;
  flows_[flow].is_ready = true;
  const auto& routes = flows_[flow].routes;
  const uint32_t port = routes[drawn_.draw(flow, routes.size())]->front().port;
  ports_.enqueue_flow(port, flows_[flow].priority, flow);
  wake(port);
}

void PacketSimulation::wake(uint32_t port) {
  if (ports_.idle(port, now_)) {
    to_serve_.push_back(port);
  } else if (!ports_.is_due(port)) {
    ports_.is_due(port) = true;
    push(ports_.free_at(port), Kind::port_is_free, port);
  }
}

void PacketSimulation::serve_all() {
  while (!to_serve_.empty()) {
    const uint32_t port = to_serve_.back();
    to_serve_.pop_back();
    while (ports_.waits(port) && ports_.idle(port, now_)) serve(port);
    if (ports_.waits(port)) wake(port);
  }
}

void PacketSimulation::serve(uint32_t port) {
  const Ports::Next next = ports_.pop(port, pool_);
  if (next.is_flow) return serve_flow(next.id);
  const Packet& packet = pool_[next.id];
  ports_.left(port, flows_[packet.flow].priority, size_of(packet));
  transmit(next.id);
}

void PacketSimulation::serve_flow(uint32_t flow) {
  flows_[flow].is_ready = false;
  if (!senders_.can_send(flow)) return forget_if_over(flow);
  transmit(senders_.send(flow, drawn_.route(flow), now_));
  set_timer(flow);
  offer(flow);
}

Bytes PacketSimulation::size_of(const Packet& packet) const {
  const int64_t rest =
      flows_[packet.flow].bytes.count - int64_t{packet.number} * options_.mtu.count;
  return {std::min(rest, options_.mtu.count)};
}

void PacketSimulation::transmit(PacketId id) {
  const Packet& packet = pool_[id];
  const PacketHop& hop = route_of(packet)[packet.hop];
  const Time end = ports_.occupy(hop.port, size_of(packet), now_);
  ++sent_;
  ensure(id <= number_of, "packets are numbered");
  push(later(end, hop.latency), Kind::arrival, id);
}

void PacketSimulation::arrive(PacketId id) {
  Packet& packet = pool_[id];
  const PacketRoute& route = route_of(packet);
  const uint32_t flow = packet.flow;
  const bool was_done = senders_.done(flow);
  if (++packet.hop == route.size()) {
    if (senders_.deliver(id, now_))
      push(later(now_, return_latency(route)), Kind::acknowledgement, id);
  } else if (!goes_on(id, route[packet.hop].port)) {
    ++dropped_[route[packet.hop].port];
    if (is_small(packet, options_)) ++senders_.result(flow).dropped_small;
    senders_.drop(id, now_);
  }
  if (!was_done && senders_.done(flow)) ended_.push_back(flow);
  forget_if_over(flow);
}

/// Gives the number of a flow away once no packet, acknowledgement, timer or queue has it.
void PacketSimulation::forget_if_over(uint32_t flow) {
  if (senders_.is_over(flow) && !flows_[flow].is_ready && !flows_[flow].has_timer)
    senders_.forget(flow);
}

/// Sends the packet on; false where it finds no room.
bool PacketSimulation::goes_on(PacketId id, uint32_t port) {
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

}  // namespace pipewright
