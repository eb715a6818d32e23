// Which pass every message between stages leaves or feeds, and its other side.
//
// Stage s of p holds the chunks s, p + s, ... of the model, as Megatron-LM lays them out: chunk c
// of stage s is the global chunk c p + s. A forward of global chunk g feeds that of g + 1, a
// backward that of g - 1. A rank sends and receives in the order of its passes. A profiler may also
// note sends and receives at the ends of the model, which move nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnose/measured_job.hpp"

namespace pipewright::diagnose {

inline constexpr size_t nothing = SIZE_MAX;

/// By place in a step. A transfer has its pass: what a send comes after, what a receive comes
/// before.
struct Transfers {
  std::vector<size_t> pass;   ///< of a transfer; `nothing` of all else and of what moves nothing
  std::vector<size_t> other;  ///< the other side of a transfer, where the trace has it
  std::vector<size_t> feeds;  ///< by pass, the pass that takes its output; `nothing` at the ends
  size_t unmatched = 0;       ///< transfers that no pass belongs to, though they move something
};

Transfers match_transfers(const MeasuredJob& job, size_t step);

}  // namespace pipewright::diagnose
