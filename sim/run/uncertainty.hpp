// The range in which the real iteration time is expected, by what published runs were off.
//
// The critical path tells how much of the compute rests on a data sheet; the regime has that and
// more (result/regime.hpp). result/ranges.hpp makes the range of it.
#pragma once

#include "experiment/experiment.hpp"
#include "result/run_result.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// Returns the range of the iteration time of a run of `prepared`.
Uncertainty uncertainty(const Experiment& experiment, const Prepared& prepared,
                        const Program& program, const Timeline& timeline, const Metrics& metrics);

/// Returns the range of a time that nothing was modelled of: of traffic and traces.
Uncertainty uncertainty_of_given(Time iteration);

}  // namespace pipewright
