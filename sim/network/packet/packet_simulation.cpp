// The event loop: ports become free, packets arrive, acknowledgements return, flows begin and time
// out. What happens at one time happens in this order, and then by number.
#include "network/packet/packet_simulation.hpp"

#include <algorithm>

#include "base/clock_exceeded.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"
#include "network/packet/marking.hpp"

namespace pipewright {

PacketSimulation::PacketSimulation(std::span<const Bandwidth> ports, const PacketOptions& options)
    : rates_(ports.begin(), ports.end()),
      options_(options),
      ports_(ports, options),
      pauses_(ports.size(), options),
      planned_(ports.size()),
      begins_flows_(ports.size()),
      is_in_order_(!options.pause),
      senders_(options, pool_),
      drawn_(options),
      dropped_(ports.size()) {
  ensure(ports.size() * static_cast<size_t>(options.priorities) <= number_of,
         "ports and their priorities are numbered");
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
  note_order(flow);
  return number;
}

void PacketSimulation::note_order(const PacketFlow& flow) {
  for (const PacketRoute* route : flow.routes) {
    const uint32_t port = route->front().port;
    if (begins_flows_[port]) continue;
    ensure(planned_.waiting(port, now_) == Bytes{}, "a port where packets wait begins no flows");
    begins_flows_[port] = true;
  }
  const bool is_of_another = flow.priority != priority_.value_or(flow.priority);
  priority_ = flow.priority;
  if (!is_of_another || !is_in_order_) return;
  ensure(sent_ == 0, "flows of several priorities come before anything happens");
  is_in_order_ = false;
}

Time PacketSimulation::run(Time until) {
  ended_.clear();
  left_.clear();
  const auto has_news = [&] { return !ended_.empty() || !left_.empty(); };
  while (!has_news() && !queue_.empty() && (until == longest_time || queue_.next() <= until))
    step();
  return has_news() ? now_ : longest_time;
}

void PacketSimulation::step() {
  stop_sometimes(++steps_);
  now_ = queue_.take(happening_);
  events_ += happening_.size();
  for (const uint32_t event : happening_)
    handle(static_cast<Kind>(event >> kind_shift), event & number_of);
  serve_all();
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
    case Kind::pace:
      flows_[number].has_pace = false;
      offer(number);
      forget_if_over(number);
      break;
    case Kind::pause:
    case Kind::resumption:
      change_pause(kind, number);
      break;
  }
}

void PacketSimulation::begin_now(uint32_t flow) {
  if (!flows_[flow].routes.empty()) return offer(flow);
  senders_.result(flow).end = now_;
  ended_.push_back(flow);
  left_.push_back(flow);
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

/// Tells whether the flow's rate does not let it send yet, and sees to it that it looks again then.
bool PacketSimulation::waits_for_rate(uint32_t flow) {
  const Time next = senders_.next_send(flow);
  if (next <= now_) return false;
  if (!flows_[flow].has_pace) push(next, Kind::pace, flow);
  flows_[flow].has_pace = true;
  return true;
}

/// A flow that can send stands in line at the first port of its next packet's route.
void PacketSimulation::offer(uint32_t flow) {
  if (flows_[flow].is_ready || !senders_.can_send(flow) || waits_for_rate(flow)) return;
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
  const int priority = packet.priority;
  ports_.left(port, priority, size_of(packet));
  if (pauses_.are_on()) resume_behind(port, priority);
  transmit(next.id, now_);
}

void PacketSimulation::change_pause(Kind kind, uint32_t number) {
  const uint32_t port = pauses_.port_of(number);
  const int priority = pauses_.priority_of(number);
  if (kind == Kind::pause) {
    if (pauses_.stop(number)) ports_.stop(port, priority);
  } else if (pauses_.go_on(number)) {
    ports_.go_on(port, priority);
    if (ports_.waits(port)) wake(port);
  }
}

void PacketSimulation::serve_flow(uint32_t flow) {
  flows_[flow].is_ready = false;
  if (!senders_.can_send(flow)) return forget_if_over(flow);
  const uint32_t before = senders_.sent_once(flow);
  const PacketId packet = senders_.send(flow, drawn_.route(flow), now_);
  tell(pool_[packet]);
  transmit(packet, now_);
  if (senders_.sent_once(flow) > before && senders_.has_sent_all(flow)) left_.push_back(flow);
  set_timer(flow);
  offer(flow);
}

/// Tells a packet of its flow what every port will ask for.
void PacketSimulation::tell(Packet& packet) const {
  const Flow& flow = flows_[packet.flow];
  const PacketRoute& route = *flow.routes[packet.route];
  packet.hops = route.data();
  packet.hop_count = static_cast<uint16_t>(route.size());
  packet.priority = static_cast<uint8_t>(flow.priority);
  packet.is_whole = flow.bytes.count >= (int64_t{packet.number} + 1) * options_.mtu.count;
}

void PacketSimulation::arrive(PacketId id) {
  Packet& packet = pool_[id];
  const bool is_there = ++packet.hop == packet.hop_count;
  // What goes on changes nothing for its flow, which is not over while it is under way.
  if (!is_there && goes_on(id, packet.hops[packet.hop].port)) return;
  const uint32_t flow = packet.flow;
  const bool was_done = senders_.done(flow);
  if (is_there) {
    if (senders_.deliver(id, now_))
      push(later(now_, return_latency(route_of(packet))), Kind::acknowledgement, id);
  } else {
    ++dropped_[packet.hops[packet.hop].port];
    if (is_small(packet, options_)) ++senders_.result(flow).dropped_small;
    senders_.drop(id, now_);
  }
  if (!was_done && senders_.done(flow)) ended_.push_back(flow);
  forget_if_over(flow);
}

/// Gives the number of a flow away once no packet, acknowledgement, timer or queue has it.
void PacketSimulation::forget_if_over(uint32_t flow) {
  const Flow& one = flows_[flow];
  if (senders_.is_over(flow) && !one.is_ready && !one.has_timer && !one.has_pace)
    senders_.forget(flow);
}

}  // namespace pipewright
