// Which operations of a step communicate together, and end when the last of them has come.
#pragma once

#include "diagnose/step_graph.hpp"

namespace pipewright::diagnose {

/// Sets the groups of `graph`: a send and its receive, data ranks that go through a pass together,
/// and the members of a collective.
void group_operations(const MeasuredJob& job, size_t step, const Transfers& transfers,
                      StepGraph& graph);

}  // namespace pipewright::diagnose
