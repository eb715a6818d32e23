// Varies a run: what happens when the same work takes each chip, and each time, a little longer or
// shorter.
//
// Assumption: compute of device d takes exp(s z_d) times what the model says, and of that op o
// takes exp(j z_o), z being independent standard normal numbers: the median chip is the one that
// was calibrated. s is `compute_spread`, a property of the chip that stays for the whole run; j is
// `kernel_spread`, by default s / 10: what differs between chips of one SKU (8 % on average, 22 %
// at most, Sinha et al., SC'22, arXiv 2208.11035) repeats from run to run, and far more than what
// one chip differs from itself. That a tenth is left for it is our assumption. The ranks of a
// tensor-parallel group wait for each other at every layer, so all of a group run as its slowest
// chip does, and z_o is the same for all of them. Networks do not vary.
#pragma once

#include <vector>

#include "machine/run_options.hpp"
#include "result/run_result.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// The quantiles of the iteration time over `variation.seeds` runs of `prepared`, of which
/// `options.jobs` go on at a time. The first has the routes of `prepared` itself. They are the same
/// for the same `options.seed`. Every rank that may differ is simulated.
Quantiles vary(const Prepared& prepared, const Variation& variation, const RunOptions& options);

/// Interpolates between the two values of `sorted` that are nearest to `fraction`, in proportion.
Time quantile(const std::vector<Time>& sorted, double fraction);

}  // namespace pipewright
