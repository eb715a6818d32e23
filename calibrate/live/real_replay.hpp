// Training live what an experiment describes: predicted from its own ops' measured times, run
// live, and its weights held against training on one device.
#pragma once

#include "calibrate/live/measure_ops.hpp"
#include "calibrate/live/replay.hpp"
#include "calibrate/live/work/real_job.hpp"

namespace pipewright::live {

/// A run of a job: when its ops ran, and what it trained.
struct LiveRun {
  Timeline timeline;
  train::Trained trained;
  Time iteration;
};

/// Runs once to warm up and then `repetitions` times, notes the iterations in `replay` and returns
/// the run whose iteration is the median.
LiveRun median_run(int repetitions, const std::function<LiveRun()>& once, Replay& replay);

/// Holds a run against what was predicted of it.
void compare(RealJob job, Timeline predicted, LiveRun run, Replay& replay);

/// Returns how `job` would run if its ops took as long as the simulator says.
Run simulated(const RealJob& job);

/// Measures each op alone, predicts from that, then runs live `repetitions` times. Throws Failure
/// when a run is stuck.
Replay replay_real(RealJob job, LiveDevice& device, const OpSource& source, int repetitions);

/// Returns what was trained live held against training on one device, which reads the weights that
/// the schedule says; `after_each` of its micro-batches is called.
Numerics check_numerics(const RealJob& job, const train::Trained& trained,
                        kernels::Kernels& kernels, const std::function<void()>& after_each = {});

}  // namespace pipewright::live
