// The kernels of every pass in the order in which they run, with the part of it that each takes.
#pragma once

#include "result/drawn.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// Tells the kernels of the ops of `program`, which is a program of `prepared`. Ops of one type on
/// devices of several classes are told by the first of them.
PassKernels pass_kernels(const Prepared& prepared, const Program& program);

}  // namespace pipewright
