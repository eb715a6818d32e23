// The ranks that hold the stages of a pipeline.
#pragma once

#include <span>
#include <vector>

#include "schedule/schedule.hpp"

namespace pipewright {

class StagePlacement {
 public:
  /// Lets stages go round `ranks`, as long as no schedule says otherwise.
  explicit StagePlacement(int ranks) : ranks_(ranks) {}
  /// Lets each rank hold the stages whose passes are in its order.
  explicit StagePlacement(const schedule::Schedule& schedule);

  /// Returns the first rank that holds `stage`.
  int rank_of(int stage) const;
  /// Returns all ranks that hold `stage`, ascending.
  std::vector<int> ranks_of(int stage) const;
  bool holds(int rank, int stage) const;

 private:
  /// Returns the ranks that a schedule has hold `stage`, ascending; none where it goes round.
  std::span<const int> scheduled(int stage) const;

  int ranks_;
  std::vector<std::vector<int>> ranks_of_;  ///< by stage of the schedule
};

}  // namespace pipewright
