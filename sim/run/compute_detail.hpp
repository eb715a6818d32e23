// Which layers and which kernels the busiest rank computes for how long.
#pragma once

#include "result/result.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// Fills Metrics::detail of `metrics`, which measure() made of `program` and `timeline`.
void add_compute_detail(const Prepared& prepared, const Program& program, const Timeline& timeline,
                        Metrics& metrics);

}  // namespace pipewright
