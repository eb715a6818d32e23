// One run of the greedy list scheduling that zb_auto.cpp describes.
#pragma once

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// Memory of a rank, in activations of a micro-batch.
struct Memory {
  double limit;
  double freed_by_input_gradient;
};

struct Choices {
  bool gap_before_first_backward, backward_first, fill_small_gaps;
};

struct SearchedOrder {
  std::vector<Order> order;  // by rank
  double max_span;           // ps
};

/// Orders for one stage a rank. `memory.limit` is at least 1, so that one micro-batch at a time
/// always fits.
SearchedOrder greedy_zero_bubble(const StageCosts& costs, int micro_batches, const Memory& memory,
                                 const Choices& choices);

}  // namespace pipewright::schedule
