// An anchor from measured iterations of somebody's own machine.
#pragma once

#include <vector>

#include "result/anchor.hpp"
#include "study/validate.hpp"

namespace pipewright {

/// Fits an anchor to `runs`, which are of one framework on one device. How much a run takes of each
/// part is what it takes longer in simulations where that part does. `jobs` runs are simulated at a
/// time (0: as many as there are processors). Throws InputError at a run that cannot be predicted,
/// has no measured time, has an anchor, or is of another framework or device than the first.
AnchorFit fit_anchor(std::vector<MeasuredRun> runs, const config::Catalogue& catalogue,
                     const RunOptions& options, int jobs);

}  // namespace pipewright
