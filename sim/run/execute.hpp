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

/// The number of micro-batches from which on one period of them is sought.
enum class PeriodSearch : uint8_t {
  of_many,  ///< where so many are simulated that it would be felt: who looks at fewer sees each
  of_some,  ///< where it is quicker: nobody looks at the timeline
};

/// Runs `prepared` in virtual time, of micro-batches that repeat others a period. Unfolds what
/// cannot stand for others where links are shared. Throws Failure for a deadlock.
Executed execute(const Prepared& prepared, const FreeCosts& free = {},
                 PeriodSearch search = PeriodSearch::of_many);

/// Does the same with `order` in place of the schedule, in which the micro-batches of `repeated`
/// stand for others.
Executed execute_order(const Prepared& prepared, const schedule::Schedule& order,
                       const RepeatedMicroBatches& repeated, const FreeCosts& free);

}  // namespace pipewright
