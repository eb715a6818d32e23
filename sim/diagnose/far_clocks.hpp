// Clocks that are further apart than a step is long.
//
// Least squares with drifts (clocks.hpp) need times that are near each other. Where clocks are
// hours apart, as without any synchronisation, each rank is first put beside those that it
// communicates with: what ends together ends at one time, by the median over the first step.
#pragma once

#include "diagnose/measured_job.hpp"

namespace pipewright::diagnose {

/// Moves the times of ranks whose clocks are off by more than the longest step of any rank. Returns
/// by how much they were, the largest, in seconds; 0: nothing was moved.
double bring_near(MeasuredJob& job);

}  // namespace pipewright::diagnose
