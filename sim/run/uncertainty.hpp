// The uncertainty of an iteration time, as far as the calibration that it rests on can tell.
//
// Assumption: the times of all kernels of one kind (products by type, attention; all messages and
// collectives) are off by one and the same relative error, normal with the deviation sigma_k that
// the profile showed on points held out of its fit; kinds are independent. An iteration's time
// changes with them as its critical path does:
//   deviation = iteration / makespan x sqrt(sum over kinds of (seconds on the path x sigma_k)^2)
//   p10, p90  = iteration -+ 1.2816 deviation
// Errors of single shapes partly cancel, so this is wide; a path that changes under them makes it
// narrow above. Kernels that nobody measured (what streams, by the roofline) add nothing: this is
// the error of the calibration alone, not of the model of training.
#pragma once

#include "engine/price.hpp"
#include "result/run_result.hpp"

namespace pipewright {

/// Returns the range of the iteration time; empty where nothing that was measured priced the
/// program.
std::optional<Uncertainty> uncertainty(const Program& program, const Timeline& timeline,
                                       const Prices& prices, const Metrics& metrics);

}  // namespace pipewright
