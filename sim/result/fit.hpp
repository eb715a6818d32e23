// Whether the ranks of a run have the memory that they need.
#pragma once

#include "result/run_result.hpp"

namespace pipewright {

/// Tells whether the run says what its devices hold and what they have room for.
bool memory_is_known(const RunResult& result);

/// Returns the share of its memory that a device of `rank` takes at the peak; empty where there is
/// no end to it.
std::optional<double> memory_share(const RankResult& rank);

/// Fills in the fit of `result`, whose ranks say what they hold and what there is. A rank without a
/// capacity has room for all. What an allocator holds where there is room becomes part of a rank's
/// buffers.
void add_fit(RunResult& result);

}  // namespace pipewright
