// A prepared experiment becomes a timeline.
#pragma once

#include <array>

#include "run/executed.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// Costs that are left out of a run.
struct FreeCosts {
  std::array<bool, traffic_kinds> traffic{};
  bool host = false;  ///< starting kernels
};

/// Runs `prepared` in virtual time, of micro-batches that repeat others a period. Unfolds what
/// cannot stand for others where links are shared. Throws Failure for a deadlock.
Executed execute(const Prepared& prepared, const FreeCosts& free = {});

/// Does the same with `order` in place of the schedule, in which the micro-batches of `repeated`
/// stand for others.
Executed execute_order(const Prepared& prepared, const schedule::Schedule& order,
                       const RepeatedMicroBatches& repeated, const FreeCosts& free);

}  // namespace pipewright
