// `variation`: how much the speed of chips and kernels spreads.
#pragma once

#include "config/value.hpp"

namespace pipewright {

struct Variation {
  double compute_spread = 0;  ///< standard deviation of the logarithm of a chip's speed
  double kernel_spread = 0;   ///< of an op's time on one chip
  int seeds = 20;
};

/// Reads `{compute_spread: 3%, kernel_spread: 0.3%, seeds: 20}`.
Variation read_variation(const config::Value& value);

}  // namespace pipewright
