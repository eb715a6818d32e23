// The clocks of a job's ranks, held against each other.
//
// What communicates together ends together: for a group g with members r that end at t_r on their
// own clocks, t_r + a_r + b_r (t_r - T) is the same for all. Offsets a and drifts b are the least
// squares over all groups of all steps, members weighing less where they fit worse (iterated, by
// the median of residuals). What all clocks have in common nobody can know: the means are zero.
#pragma once

#include <vector>

#include "diagnose/measured_job.hpp"

namespace pipewright::diagnose {

struct Clocks {
  std::vector<double> offset_s;  ///< by rank: what is to be added to its times, at the middle
  std::vector<double> drift;     ///< by rank: seconds a second
  double error_s = 0;            ///< the median residual: how far ends that are one differ
  Time middle;                   ///< T
  size_t groups = 0;             ///< how many were looked at; 0: nothing is known

  /// The largest that is added to or taken from any time between `first` and `last`.
  double largest(Time first, Time last) const;
};

/// Solves for at most 1024 ranks; of more nothing is known.
Clocks compare_clocks(const MeasuredJob& job);

/// Puts the times of every rank whose clock is off by more than three times the error onto the
/// common one. Returns how many ranks that are.
int align(MeasuredJob& job, const Clocks& clocks);

}  // namespace pipewright::diagnose
