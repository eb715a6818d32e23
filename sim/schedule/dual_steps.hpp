// The eight steps of DualPipe (arXiv 2412.19437, section 3.2), which DualPipeV cuts in half.
#pragma once

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// One of the two streams of micro-batches that a rank serves.
struct Stream {
  int stage;
  int first_micro_batch;
};

/// A rank's place among `half` ranks that lie between the near end and the turn.
struct DualRank {
  Stream near;          ///< enters at the near end
  Stream far;           ///< comes back from the turn (or from the other end)
  int half;             ///< h
  int position;         ///< r, 0 at the near end
  int micro_batches;    ///< n of each stream, at least 2h
  bool overlap = true;  ///< F and B of a pair receive and send together; false: each by itself
};

void append_dual_steps(Order& order, const DualRank& rank);

}  // namespace pipewright::schedule
