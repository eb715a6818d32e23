// What a trace of our own says of its job beside times: devices, replicas, bytes of gradients, and
// what a reader should know of it.
#pragma once

#include <vector>

#include "diagnose/job_trace.hpp"
#include "diagnose/run_groups.hpp"
#include "diagnose/run_iterations.hpp"
#include "diagnose/run_passes.hpp"
#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

/// Sets the facts of each rank that stands for others, and the degree of data parallelism that
/// follows from them.
void tell_facts(const RunTrace& trace, const RunGroups& places, JobTrace& job);

/// Adds the notes of the job. `spans` are the passes by rank.
void add_notes(const RunTrace& trace, const RunGroups& places, const RunIterations& iterations,
               const std::vector<std::vector<PassSpan>>& spans, JobTrace& job);

}  // namespace pipewright::diagnose
