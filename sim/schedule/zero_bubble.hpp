// The pattern of the hand-written zero-bubble schedules (arXiv 2401.10241): backward is split in
// its two halves, I travels on at once, W waits until it fills what would be a bubble.
#pragma once

#include <algorithm>

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// Appends `warm_up` forwards, then for k = 0, 1, ...: the next F if there is one, I(k) and, once
/// `weight_starts(k)`, the oldest W that is left; then the remaining W's.
template <class WeightStarts>
void append_zero_bubble(Order& order, int stage, int warm_up, int micro_batches,
                        WeightStarts weight_starts) {
  int next_forward = 0, next_weight = 0;
  while (next_forward < std::min(warm_up, micro_batches))
    order.push_back(forward(stage, next_forward++));
  for (int k = 0; k < micro_batches; ++k) {
    if (next_forward < micro_batches) order.push_back(forward(stage, next_forward++));
    order.push_back(input_gradient(stage, k));
    if (weight_starts(k)) order.push_back(weight_gradient(stage, next_weight++));
  }
  while (next_weight < micro_batches) order.push_back(weight_gradient(stage, next_weight++));
}

}  // namespace pipewright::schedule
