// Replays of kernels of the layers' shapes on made-up numbers.
#pragma once

#include "calibrate/live/measure_ops.hpp"
#include "calibrate/live/replay.hpp"

namespace pipewright::live {

/// `run`, compute taking as long as kernels of its ops' shapes take on `device`, each by itself.
/// Throws Failure as SyntheticWork does.
Run with_measured_kernels(Run run, LiveDevice& device);

/// The same over processes, each of which measures its own. All ranks come here.
Run with_measured_kernels(Run run, transport::Session& session, LiveDevice& device);

/// Runs the program of `run` with kernels of its ops' shapes: predicted from each op's time alone
/// and what ops take from each other, then live. Throws Failure as SyntheticWork does, and when the
/// run is stuck.
Replay replay_synthetic(Run run, LiveDevice& device, const OpSource& source, int repetitions);

/// The same over processes, where `device` runs: every rank measures its own compute, and all
/// predict from what all measured and the cores that they share; messages take as long as in `run`.
/// All ranks come here, with a program that require_synthetic() lets pass for all of them.
Replay replay_synthetic_over(Run run, transport::Session& session, LiveDevice& device,
                             const OpSource& source, int repetitions);

}  // namespace pipewright::live
