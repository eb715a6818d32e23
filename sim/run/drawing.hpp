// What a page draws of a run of a schedule.
#pragma once

#include "result/drawn.hpp"
#include "result/run_result.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// Tells it of `run`, which is a run of `prepared`. Where links are shared, `prepared` is run
/// again: what ran was unfolded on the way.
Drawn drawing_of(const Prepared& prepared, const Run& run);

}  // namespace pipewright
