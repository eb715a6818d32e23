// The iteration time that a run is judged by: the one rule of `compare`, `sweep`, `plan`,
// `sensitivity` and `validate`.
//
// Where nothing is drawn it is the iteration time. Where chips, kernels or routes are drawn it is
// the median of the draws: one draw is luck, and the unvaried run is faster than most draws, since
// a pipeline waits for its slowest chip. Rates, cost and time to train are judged at it too. The
// accounts, the energy and the critical path of a result stay those of the unvaried run.
#pragma once

#include "result/run_result.hpp"
#include "result/time_range.hpp"

namespace pipewright {

/// Returns the iteration time that `result` is judged by.
Time typical_time(const RunResult& result);

/// Returns how many times as long as the unvaried iteration it is; 1 where nothing is drawn.
double typical_slowdown(const RunResult& result);

/// Returns the time to train at it, in seconds; empty where the experiment has no training.
std::optional<double> typical_time_to_train_s(const RunResult& result);

/// Returns the range of `uncertainty` about it, in seconds; empty where the result has none.
std::optional<TimeRange> typical_range(const RunResult& result);

/// Returns the number of draws whose median it is; 0 where nothing is drawn.
int seeds_of(const RunResult& result);

}  // namespace pipewright
