// Where an iteration of a rank begins and ends in the graph of a step: weights are gathered before
// its passes, and gradients, norms and the optimizer's step come after them (step_graph.hpp).
#pragma once

#include <span>
#include <vector>

#include "diagnose/measured_job.hpp"

namespace pipewright::diagnose {

/// Adds to `after`, by place in the step `all`, what comes after what of one iteration of a rank.
/// `own` are the rank's operations of the step; `places` are those of the iteration, in the order
/// of their starts.
void place_iteration(const MeasuredJob& job, std::span<const TracedOperation> all,
                     std::span<const TracedOperation> own, const std::vector<size_t>& places,
                     std::vector<std::vector<size_t>>& after);

}  // namespace pipewright::diagnose
