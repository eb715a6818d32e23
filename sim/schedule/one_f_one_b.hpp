// The 1F1B pattern that half the field is made of: warm-up forwards, then one forward and one
// backward in turn, then the remaining backwards.
#pragma once

#include <algorithm>

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// Appends `warm_up` forwards, then F and B in turn, then the backwards that are left, of
/// `micro_batches` micro-batches on `stage`.
inline void append_one_f_one_b(Order& order, int stage, int warm_up, int micro_batches) {
  warm_up = std::min(warm_up, micro_batches);
  for (int b = 0; b < warm_up; ++b) order.push_back(forward(stage, b));
  for (int b = 0; b < micro_batches; ++b) {
    if (warm_up + b < micro_batches) order.push_back(forward(stage, warm_up + b));
    order.push_back(backward(stage, b));
  }
}

/// 1F1B with a flush after every iteration: stage i on rank i, warm-up p-1-i.
Schedule one_f_one_b_schedule(const Shape& shape);

}  // namespace pipewright::schedule
