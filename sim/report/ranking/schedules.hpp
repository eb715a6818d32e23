// Schedules that ran on the same work, in the order of their time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "result/run_result.hpp"
#include "result/totals.hpp"

namespace pipewright {

/// A row that ran, with what it is judged by.
struct RankedSchedule {
  const RunResult* result = nullptr;  ///< of the row
  Time time;                          ///< that it is judged by
  Totals most;

  const std::string& name() const { return result->schedule; }
  bool can_be() const { return result->fit.feasible && result->fit.suits_devices; }
  bool safe() const { return result->synchronous && can_be(); }
};

/// The list has the rows that ran: the fastest first, of equally fast ones the leanest, then in the
/// given order. It points into `rows`.
std::vector<RankedSchedule> ranked(std::span<const Row> rows);

/// Returns the row to take: the fastest synchronous one that can be, else the fastest that can be;
/// nullptr where none can.
const RankedSchedule* to_take(const std::vector<RankedSchedule>& ranked);

}  // namespace pipewright
