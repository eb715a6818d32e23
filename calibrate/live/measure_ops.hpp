// Measures what a device takes for the ops of a program.
#pragma once

#include <functional>
#include <memory>

#include "calibrate/live/executor/op_times.hpp"
#include "calibrate/live/live_device.hpp"

namespace pipewright::live {

/// Runs all of `program` on `device` op by op: each by itself, then beside copies of itself, of
/// which `most_copies` may be there. `work_of` gives what a copy is to run in its next run.
OpTimes measure_ops(const Program& program, LiveDevice& device, int most_copies,
                    const std::function<std::shared_ptr<DeviceWork>(int copy)>& work_of);

/// The source of the times of a live run's ops.
struct OpSource {
  bool measures = true;               ///< each op first; else they are as simulated
  LiveDevice* measured_on = nullptr;  ///< larger partitions of the same GPU; null: where they run
};

/// Returns what a prediction from it is made from, in words.
std::string describe(const OpSource& source);

/// The times of the ops of `program` on `device`; `measure` measures them on a device.
OpTimes times_from(const OpSource& source, const Program& program, LiveDevice& device,
                   const Timeline& simulated,
                   const std::function<OpTimes(LiveDevice& device)>& measure);

}  // namespace pipewright::live
