// What products lose whose rows do not begin at multiples of 16 bytes.
#pragma once

#include "topology/device.hpp"
#include "workload/work.hpp"

namespace pipewright {

/// Returns the share of its rate that a product keeps for how its rows lie in memory; 1 for what is
/// no product of 16-bit numbers on a GPU.
double aligned_share(const Work& work, const Device& device);

}  // namespace pipewright
