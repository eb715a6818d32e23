// The mean iteration of training on sites that meet every so many steps: inner iterations, and for
// each fragment one that ends in its outer step (plan/outer_steps.hpp), with as much of the
// exchange as sites wait for (run/outer_waits.hpp).
#pragma once

#include "result/run_result.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// Turns `metrics` of an iteration without an outer step into those of the mean iteration.
OuterResult add_outer_steps(const Prepared& prepared, Metrics& metrics);

}  // namespace pipewright
