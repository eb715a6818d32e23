// What a device takes for the ops of a program.
#pragma once

#include <functional>
#include <memory>

#include "calibrate/replay/live_device.hpp"
#include "calibrate/replay/op_times.hpp"

namespace pipewright::replay {

/// Runs all of `program` on `device` op by op: each by itself, then beside copies of itself, of
/// which `most_copies` may be there. `work_of` gives what a copy is to run in its next run.
OpTimes measure_ops(const Program& program, LiveDevice& device, int most_copies,
                    const std::function<std::shared_ptr<DeviceWork>(int copy)>& work_of);

}  // namespace pipewright::replay
