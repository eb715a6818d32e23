// FlashAttention-2 on a device newer than the one it was written for.
#pragma once

#include "topology/device.hpp"
#include "workload/work.hpp"

namespace pipewright {

/// Seconds of the computation of `work`, fused attention, as its instructions allow at `steady` of
/// a benchmark's rate; 0 where the device's processors are not counted.
double flash2_seconds(const Work& work, const Device& device, double steady);

/// Returns how many times longer than FlashAttention-2 its forerunner takes in a benchmark.
double forerunner(Direction direction);

}  // namespace pipewright
