// The memory that a rank holds on its device, over time.
#pragma once

#include <vector>

#include "result/rank_moments.hpp"
#include "result/run_result.hpp"

namespace pipewright {

/// Bytes from one moment until the next.
struct Held {
  Time from;
  Bytes bytes;
};

/// The curve is what the rank holds all the time, and what ops take at their start and give back at
/// their end. It has one value for each moment: the last. It is empty for a rank that computes
/// nothing.
std::vector<Held> memory_curve(const Run& run, const RankOps& ops, uint32_t rank);

}  // namespace pipewright
