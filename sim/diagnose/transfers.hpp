// Which pass every message between stages leaves or feeds, and its other side.
//
// A forward of a stage of the model feeds that of the next, a backward that of the one before;
// where the job's placement says which chunk of which rank is which stage. A message that names its
// chunk and micro-batch is that of the pass of this name; others a rank sends and receives in the
// order of its passes. A profiler may also note sends and receives at the ends of the model, which
// move nothing.
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

/// Gives every message that does not say its chunk that of its pass.
void name_chunks(MeasuredJob& job);

}  // namespace pipewright::diagnose
