#include "engine/packet_ops.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pipewright {

PacketOps::PacketOps(const PacketPlan& plan, std::span<const Time> duration)
    : plan_(plan), duration_(duration), network_(plan.ports, plan.options) {}

Time PacketOps::start_up(OpId op) const {
  return std::max(Time{}, duration_[op] - load(op).moving - load(op).wire);
}

uint32_t PacketOps::send(OpId op, Time now) {
  const PacketLoad& load = this->load(op);
  // Of a streamed message the rest that its producer has not hidden.
  const bool whole = duration_[op] >= load.moving;
  const double remaining = whole ? 1 : in_seconds(duration_[op]) / in_seconds(load.moving);
  for (const PacketLoad::Part& part : load.parts) {
    const double bytes = static_cast<double>(part.bytes.count) * remaining;
    const uint32_t flow = network_.add({.routes = part.routes, .bytes = {std::llround(bytes)}});
    network_.begin(flow, now);
    if (flow == op_of_.size()) op_of_.emplace_back();
    op_of_[flow] = op;
  }
  alone_.emplace(now + (duration_[op] - start_up(op)), op);
  return static_cast<uint32_t>(load.parts.size()) + 1;
}

Time PacketOps::next_news(Time until) {
  const Time alone = alone_.empty() ? longest_time : alone_.top().first;
  if (news_at_ == longest_time) news_at_ = network_.run(std::min(until, alone));
  return std::min(news_at_, alone);
}

void PacketOps::take_news(Time now, std::vector<OpId>& ended, std::vector<OpId>& left) {
  for (; !alone_.empty() && alone_.top().first <= now; alone_.pop())
    ended.push_back(alone_.top().second);
  if (news_at_ > now) return;
  news_at_ = longest_time;
  for (const uint32_t flow : network_.left()) left.push_back(op_of_[flow]);
  for (const uint32_t flow : network_.ended()) {
    ended.push_back(op_of_[flow]);
    counts_.packets += network_.result(flow).packets;
    counts_.repeated += network_.result(flow).repeated;
    counts_.timeouts += network_.result(flow).timeouts;
  }
}

PacketCounts PacketOps::counts() const {
  PacketCounts counts = counts_;
  counts.dropped =
      std::accumulate(network_.dropped().begin(), network_.dropped().end(), uint64_t{0});
  counts.sent = network_.sent();
  return counts;
}

}  // namespace pipewright
