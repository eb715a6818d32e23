// Whether passes wait for the sums of gradients beside them, in a trace of our own.
#pragma once

#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

/// Tells whether a rank sums the gradients of a stage after several of its passes in a step (ZeRO 2
/// and 3), or gathers weights beside backward passes (ZeRO 3). Else they are summed once, for the
/// update, and no pass waits for that.
bool sums_hold_passes(const RunTrace& trace);

}  // namespace pipewright::diagnose
