// Whether ranks of a trace of our own stop computing for the messages that stand on no lane of
// theirs.
//
// A rank that posts several messages at once, as Megatron-LM's batch_isend_irecv does, goes on when
// the last of them has ended. They begin when both sides have posted them. An asynchronous message
// leaves when the pass has ended that made it.
#pragma once

#include <vector>

#include "diagnose/run_passes.hpp"
#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

/// `passes`: of every rank, in order of their starts.
bool messages_stop_ranks(const RunTrace& trace, const std::vector<std::vector<PassSpan>>& passes);

}  // namespace pipewright::diagnose
