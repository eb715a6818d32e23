// Clocks of ranks in a trace that should be on one clock.
//
// No pass begins before the pass that feeds it has ended. Where one does, the clock of a rank is
// off: the offsets are looked for by which every message leaves before it arrives. Where no
// offsets do that, the ranks are not of one job.
#pragma once

#include <string>

#include "diagnose/measured_job.hpp"

namespace pipewright::diagnose {

struct ShiftedClocks {
  int ranks = 0;  ///< whose clocks were off
  double largest_s = 0;
  std::string contradiction;  ///< why no offsets are right; empty: some are
};

/// Moves the operations of ranks whose clocks are off. Most ranks of a pipeline are taken to be
/// right.
ShiftedClocks shift_clocks(MeasuredJob& job);

}  // namespace pipewright::diagnose
