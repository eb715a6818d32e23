#include "network/packet/senders.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace pipewright {
namespace {

uint32_t may_miss(uint32_t packets, const PacketOptions& options) {
  if (options.transport == Transport::reliable) return 0;
  return static_cast<uint32_t>(std::floor(packets * options.loss + 1e-9));
}

Time twice(Time t) { return t > longest_time - t ? longest_time : t + t; }

}  // namespace

uint32_t Senders::add(const SenderPlan& plan) {
  auto flow = static_cast<uint32_t>(senders_.size());
  if (forgotten_.empty()) {
    senders_.emplace_back();
    results_.emplace_back();
  } else {
    flow = forgotten_.back();
    forgotten_.pop_back();
  }
  Sender& sender = senders_[flow] = Sender();
  sender.packets = plan.packets;
  sender.may_miss = may_miss(plan.packets, options_);
  sender.window = CongestionWindow(plan.window);
  sender.rate = DcqcnRate(plan.line_bytes_per_s);
  sender.timer = RetransmissionTimer(std::max(options_.rto, twice(plan.round_trip)));
  sender.unacknowledged.resize(plan.routes);
  sender.arrived.resize(plan.packets);
  sender.acknowledged.resize(plan.packets);
  results_[flow] = {.end = {}, .packets = plan.packets};
  return flow;
}

Time Senders::deadline(uint32_t flow) const {
  const Sender& sender = senders_[flow];
  return sender.done || sender.in_flight == 0 ? longest_time : sender.timer.deadline();
}

bool Senders::can_send(uint32_t flow) {
  Sender& sender = senders_[flow];
  if (sender.done || !sender.window.has_room(sender.in_flight)) return false;
  return sender.next < sender.packets || repeats_next(sender);
}

/// Tells whether what was lost goes next: it goes first, unless the flow can do without it, and
/// then it goes last, and only as much of it as is needed.
bool Senders::repeats_next(Sender& sender) {
  if (options_.transport == Transport::bounded_loss && sender.next < sender.packets) return false;
  forget_acknowledged(sender);
  return sender.losses.missing > sender.may_miss;
}

/// Forgets packets that were given up and have arrived after all.
void Senders::forget_acknowledged(Sender& sender) {
  PacketList& list = sender.losses.to_repeat;
  while (!list.empty() && sender.acknowledged[pool_[list.head].number])
    pool_.give_back(take_missing(sender));
}

PacketId Senders::take_missing(Sender& sender) {
  --sender.losses.missing;
  return sender.losses.to_repeat.pop(pool_);
}

PacketId Senders::send(uint32_t flow, uint32_t route, Time now) {
  Sender& sender = senders_[flow];
  PacketId id;
  if (repeats_next(sender)) {
    id = take_missing(sender);
    sender.repeats = true;
    ++results_[flow].repeated;
  } else {
    id = pool_.take();
    pool_[id].flow = flow;
    pool_[id].number = sender.next++;
  }
  Packet& packet = pool_[id];
  packet.state = PacketState::in_flight;
  packet.marked = false;
  packet.hop = 0;
  packet.route = route;
  packet.transmission = sender.transmissions++;
  if (has_rate()) {
    const double rate = sender.rate.at(now);
    sender.next_send = now + seconds(static_cast<double>(options_.mtu.count) / rate);
  }
  if (sender.in_flight == 0) sender.timer.restart(now);
  ++sender.in_flight;
  ++sender.in_network;
  sender.unacknowledged[route].push(pool_, id);
  return id;
}

bool Senders::within_bound(const Sender& sender) const {
  return options_.transport == Transport::bounded_loss && sender.losses.times <= sender.may_miss;
}

void Senders::lose(Sender& sender, PacketId id) {
  --sender.in_flight;
  ++sender.losses.times;
  ++sender.losses.missing;
  if (!within_bound(sender) && !has_rate())
    sender.window.halve(pool_[id].transmission, sender.transmissions);
  pool_[id].state = PacketState::to_repeat;
  sender.losses.to_repeat.push(pool_, id);
}

bool Senders::deliver(PacketId id, Time now) {
  const uint32_t flow = pool_[id].flow;
  Sender& sender = senders_[flow];
  --sender.in_network;
  if (!sender.done && !sender.arrived[pool_[id].number]) {
    sender.arrived[pool_[id].number] = true;
    ++sender.received;
  }
  finish_if_done(flow, now);
  if (sender.done) {
    pool_.give_back(id);
    return false;
  }
  ++sender.returning;
  return true;
}

void Senders::drop(PacketId id, Time now) {
  Packet& packet = pool_[id];
  const uint32_t flow = packet.flow;
  --senders_[flow].in_network;
  ++results_[flow].dropped;
  if (packet.state == PacketState::given_up)
    pool_.give_back(id);
  else
    packet.state = PacketState::dropped;
  finish_if_done(flow, now);
}

void Senders::finish_if_done(uint32_t flow, Time now) {
  Sender& sender = senders_[flow];
  if (sender.done || sender.next < sender.packets) return;
  if (sender.received + sender.may_miss < sender.packets) return;
  // The rest of the first round may still come; the sender closes it with a notice of no size.
  if (sender.received < sender.packets && sender.in_network > 0 && !sender.repeats) return;
  sender.done = true;
  results_[flow].end = now;
  close(sender);
}

void Senders::close(Sender& sender) {
  while (!sender.losses.to_repeat.empty()) pool_.give_back(take_missing(sender));
  for (PacketList& list : sender.unacknowledged) {
    while (!list.empty()) {
      const PacketId id = list.pop(pool_);
      if (pool_[id].state == PacketState::dropped)
        pool_.give_back(id);
      else
        pool_[id].state = PacketState::given_up;
    }
  }
  sender.in_flight = 0;
  sender.arrived = std::vector<bool>();
  sender.acknowledged = {};
}

void Senders::acknowledge(PacketId id, Time now) {
  const Packet packet = pool_[id];
  Sender& sender = senders_[packet.flow];
  --sender.returning;
  if (sender.done) return pool_.give_back(id);
  sender.acknowledged[packet.number] = true;
  if (packet.state != PacketState::given_up) {
    PacketList& list = sender.unacknowledged[packet.route];
    while (list.head != id) lose(sender, list.pop(pool_));
    list.pop(pool_);
    --sender.in_flight;
  }
  pool_.give_back(id);
  sender.timer.acknowledge(now);
  adapt(sender, packet, now);
}

/// Opens the window for an acknowledgement, or closes it where queues are long, or cuts the rate.
void Senders::adapt(Sender& sender, const Packet& packet, Time now) const {
  if (has_rate()) {
    if (packet.marked) sender.rate.notice(now);
    return;
  }
  if (options_.control == RateControl::dctcp) {
    sender.marks.acknowledge(packet.marked, packet.transmission, sender.transmissions);
    if (packet.marked) {
      const double part = 1 - sender.marks.share() / 2;
      return sender.window.shrink(part, packet.transmission, sender.transmissions);
    }
  }
  sender.window.grow();
}

void Senders::time_out(uint32_t flow, Time now) {
  Sender& sender = senders_[flow];
  ++results_[flow].timeouts;
  const double before = sender.window.packets();
  for (PacketList& list : sender.unacknowledged) {
    while (!list.empty()) {
      PacketId id = list.pop(pool_);
      if (pool_[id].state != PacketState::dropped) {
        pool_[id].state = PacketState::given_up;
        const PacketId again = pool_.take();
        pool_[again] = pool_[id];
        id = again;
      }
      lose(sender, id);
    }
  }
  if (!within_bound(sender) && !has_rate()) sender.window.collapse(before, sender.transmissions);
  sender.timer.back_off(now);
}

}  // namespace pipewright
