#include "engine/in_flight.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace pipewright {
namespace {

/// A flow's bytes are a whole number: of such parts of a byte, as a collective's seldom are.
constexpr double parts_of_a_byte = 1024;

using Load = SharedLink::Load;

/// Returns the capacity for one of the flows that cross a link, of which `times` belong to one op.
double capacity_for(const SharedLink& link, int times) {
  return link.capacity * parts_of_a_byte / times;
}

std::vector<Bandwidth> capacities_of(const Contention& contention) {
  std::vector<Bandwidth> all;
  for (const SharedLink& link : contention.links) all.push_back({capacity_for(link, 1)});
  return all;
}

/// Returns the loads by route; `Load::route` of each is the link.
std::vector<std::vector<Load>> uses_of(const Contention& contention) {
  std::vector<std::vector<Load>> uses(contention.routes.size());
  for (uint32_t link = 0; link < contention.links.size(); ++link)
    for (const Load& load : contention.links[link].loads)
      uses[load.route].push_back({link, load.bytes, load.times});
  return uses;
}

}  // namespace

InFlightOps::InFlightOps(const Contention& contention, std::span<const Time> duration)
    : contention_(contention),
      duration_(duration),
      network_(capacities_of(contention)),
      uses_(uses_of(contention)),
      by_route_(contention.routes.size()),
      parts_left_(duration.size()),
      parts_to_send_(duration.size()),
      channels_(contention.channels) {
  ensure(contention.alike, "an op cannot stand for others that use unlike links");
  if (contention.packets) packets_.emplace(*contention.packets, duration);
}

/// Made when they are first asked for: much of a program may have run before links were shared.
const InFlightOps::Parts& InFlightOps::parts(OpId op) {
  const uint32_t route = contention_.route_of[op];
  Parts& parts = by_route_[route];
  if (parts.parts.empty()) parts = parts_of(contention_.routes[route], std::move(uses_[route]));
  return parts;
}

/// Alone it is as fast as its route. Where a link of the route says so no cap is needed, and the
/// link itself gives the length that the alpha-beta model computes, to the picosecond.
InFlightOps::Parts InFlightOps::parts_of(const SharedRoute& route, std::vector<Load> uses) const {
  Parts parts;
  std::stable_sort(uses.begin(), uses.end(),
                   [](const Load& a, const Load& b) { return a.bytes < b.bytes; });
  for (size_t first = 0, last = 0; first < uses.size(); first = last) {
    const Bytes bytes{static_cast<int64_t>(std::ceil(uses[first].bytes * parts_of_a_byte))};
    double narrowest = std::numeric_limits<double>::infinity();
    Part part{{}, {}, bytes, static_cast<double>(bytes.count) / route.bytes * route.bandwidth};
    for (; last < uses.size() && uses[last].bytes == uses[first].bytes; ++last) {
      const auto& [link, _, times] = uses[last];
      part.links.push_back(link);
      part.times.push_back(times);
      if (contention_.links[link].of_device && !route.computes) part.priority = 1;
      narrowest = std::min(narrowest, capacity_for(contention_.links[link], times));
    }
    parts.moving = std::max(parts.moving, bytes / Bandwidth{part.cap});
    if (narrowest <= part.cap * (1 + 1e-12)) part.cap = std::numeric_limits<double>::infinity();
    parts.parts.push_back(std::move(part));
  }
  return parts;
}

Time InFlightOps::latency(OpId op) {
  if (has_packets(op)) return packets().start_up(op);
  return std::max(Time{}, duration_[op] - parts(op).moving);
}

InFlightOps::Channel* InFlightOps::channel(OpId op) {
  const uint32_t channel = has_packets(op) ? packets().channel(op)
                                           : contention_.routes[contention_.route_of[op]].channel;
  return channel == none ? nullptr : &channels_[channel];
}

void InFlightOps::begin(OpId op, Time now) {
  Channel* channel = this->channel(op);
  if (channel && channel->busy) return channel->waiting.push_back(op);
  if (channel) channel->busy = true;
  move(op, now);
}

void InFlightOps::move(OpId op, Time now) {
  parts_left_[op] = 0;
  if (has_flows(op)) move_flows(op, now);
  parts_to_send_[op] = parts_left_[op];
  if (!has_packets(op)) return;
  const uint32_t parts = packets().send(op, now);
  parts_left_[op] += parts;
  parts_to_send_[op] += parts - 1;
}

void InFlightOps::move_flows(OpId op, Time now) {
  const Parts& all = parts(op);
  // Of a streamed message the rest that its producer has not hidden.
  const bool whole = duration_[op] >= all.moving;
  const double remaining = whole ? 1 : in_seconds(duration_[op]) / in_seconds(all.moving);
  parts_left_[op] = static_cast<uint32_t>(all.parts.size());
  for (const Part& part : all.parts) {
    const auto id = static_cast<uint32_t>(op_of_.size());
    op_of_.push_back(op);
    const Bytes bytes =
        whole ? part.bytes : Bytes{std::llround(static_cast<double>(part.bytes.count) * remaining)};
    network_.add({.id = id,
                  .links = part.links,
                  .bytes = bytes,
                  .cap = part.cap,
                  .priority = part.priority,
                  .multiplicities = part.times},
                 now);
  }
}

Time InFlightOps::next_news(Time until) {
  const Time flows = network_.next_completion();
  return packets_ ? std::min(flows, packets_->next_news(std::min(flows, until))) : flows;
}

void InFlightOps::take_ended(Time now, std::vector<OpId>& ops) {
  ended_.clear();
  sent_.clear();
  ops.clear();
  const auto part_ended = [&](OpId op) {
    if (--parts_left_[op] == 0) ops.push_back(op);
  };
  network_.pop_completed(now, ended_);
  for (const uint32_t flow : ended_) {
    part_ended(op_of_[flow]);
    part_left(op_of_[flow]);
  }
  if (packets_) {
    with_packets_.clear();
    sent_packets_.clear();
    packets_->take_news(now, with_packets_, sent_packets_);
    std::ranges::for_each(with_packets_, part_ended);
    for (const OpId op : sent_packets_) part_left(op);
  }
  std::sort(ops.begin(), ops.end());
  free_channels(now);
}

void InFlightOps::part_left(OpId op) {
  if (--parts_to_send_[op] == 0 && channel(op)) sent_.push_back(op);
}

void InFlightOps::free_channels(Time now) {
  std::sort(sent_.begin(), sent_.end());
  for (const OpId op : sent_) {
    Channel* channel = this->channel(op);
    channel->busy = !channel->waiting.empty();
    if (!channel->busy) continue;
    move(channel->waiting.front(), now);
    channel->waiting.pop_front();
  }
}

}  // namespace pipewright
