// Starts the flows that begin once another has ended.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/clock_exceeded.hpp"
#include "base/units.hpp"

namespace pipewright {

/// `Flow` has `start`, `after` (numbers of flows) and `delay`: it begins at its start or, if that
/// is later, `delay` after the last of those has ended.
template <class Flow>
class FlowStarts {
 public:
  explicit FlowStarts(std::span<const Flow> flows) : flows_(flows), first_(flows.size() + 1) {
    for (const Flow& flow : flows) {
      waits_.push_back(static_cast<uint32_t>(flow.after.size()));
      for (const uint32_t before : flow.after) ++first_[before + 1];
    }
    for (size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
    followers_.resize(first_.back());
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (uint32_t k = 0; k < flows.size(); ++k)
      for (const uint32_t before : flows[k].after) followers_[next[before]++] = k;
  }

  /// Tells `begin(flow, time)` of all that wait for none.
  template <class Begin>
  void at_first(Begin begin) const {
    for (uint32_t k = 0; k < flows_.size(); ++k)
      if (waits_[k] == 0) begin(k, flows_[k].start);
  }

  /// Tells it of those that waited for `flow` last. Throws Failure beyond the clock.
  template <class Begin>
  void ended(uint32_t flow, Time now, Begin begin) {
    for (uint32_t k = first_[flow]; k < first_[flow + 1]; ++k) {
      const uint32_t follower = followers_[k];
      if (--waits_[follower] > 0) continue;
      begin(follower, begin_of(flows_[follower], now));
    }
  }

  /// Returns when a flow begins whose last predecessor has ended at `now`.
  static Time begin_of(const Flow& flow, Time now) {
    return std::max(flow.start, later(now, flow.delay));
  }

 private:
  std::span<const Flow> flows_;
  std::vector<uint32_t> waits_, first_, followers_;
};

}  // namespace pipewright
