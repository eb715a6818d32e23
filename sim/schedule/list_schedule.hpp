// List scheduling: whenever a rank is free it takes, of its passes whose inputs are there, the one
// of least priority. For schedules that are a policy rather than an order.
#pragma once

#include <limits>

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// Times are in any unit; only the order that comes of them is kept.
struct ListPolicy {
  std::function<int(int stage, int micro_batch)> rank_of;
  /// Least first; of equals the oldest micro-batch, then its earlier slice, then its earlier stage.
  std::function<int64_t(const Action&)> priority;
  std::function<int64_t(const Action&)> duration;  ///< not negative
  int64_t hop = 0;                                 ///< transfer between ranks
  bool split_backward = false;                     ///< I and W instead of B
  /// Micro-batches between their first F and their last B or I; they enter in order.
  int64_t in_flight = std::numeric_limits<int64_t>::max();
  /// The most activations that each rank holds from F to the end of B or W; empty: no limits.
  std::vector<int64_t> most_held;
};

/// Fills the orders of `schedule` with all its micro-batches. Returns the rank at which `most_held`
/// lets nothing go on, if there is one; the orders are then incomplete.
std::optional<int> list_schedule(Schedule& schedule, const ListPolicy& policy);

}  // namespace pipewright::schedule
