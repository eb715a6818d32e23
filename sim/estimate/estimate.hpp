// The time of an iteration in closed form, for sifting many experiments before simulating a few.
#pragma once

#include "run/prepared.hpp"

namespace pipewright {

/// The busiest rank's passes, plus the fill and drain of a pipeline of p ranks, plus the longest
/// optimizer step:
///   max over ranks of the sum of its passes + (p - 1) max over stages of F + B + max step
/// without the second term where the schedule is asynchronous. Tensor collectives count as part of
/// a pass; a forward and a backward that run side by side take what both take so; transfers between
/// stages and the reduction of gradients are left out.
Time estimate_iteration(const Prepared& prepared);

}  // namespace pipewright
