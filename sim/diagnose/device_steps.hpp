// The steps of a device: which of them the profiler saw whole, and from when to when each lasts.
//
// A profiler that begins or ends within a step shows a part of it. The first and the last step are
// left out where they have fewer than nine in ten of the kernels of the steps between them, if
// these have ten or more. Of five steps or more the first is left out where it takes longer than
// any two others together.
#pragma once

#include <vector>

#include "diagnose/device_work.hpp"
#include "diagnose/host_ranges.hpp"

namespace pipewright::diagnose {

/// Makes of the steps of `work.ops`, which are places in `marks`, places in `work.steps`, and tells
/// how long its kernels run beside each other.
void find_steps(const std::vector<StepMark>& marks, DeviceWork& work);

}  // namespace pipewright::diagnose
