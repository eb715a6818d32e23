// An experiment predicted, run live, and both beside each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/live/accuracy.hpp"
#include "calibrate/live/live_device.hpp"
#include "result/run_result.hpp"

namespace pipewright::live {

/// The outcome of training, against training on one device.
struct Numerics {
  std::string reference;               ///< what it was held against, in words
  double max_relative_difference = 0;  ///< of weights, the largest over stages
  std::vector<double> loss;            ///< by optimizer step
};

/// Whether the weights are those of the reference but for rounding. Training that goes wrong
/// differs by about as much as weights are large.
inline bool agrees(const Numerics& numerics) {
  constexpr double most_difference = 1e-2;
  return numerics.max_relative_difference <= most_difference;
}

struct Replay {
  std::string compute;                     ///< timed, synthetic or real
  std::string backend;                     ///< cpu or cuda
  std::string where;                       ///< in words, after "live on"
  std::string timing;                      ///< but of real compute: what takes how long, in words
  std::optional<kernels::CudaDevice> gpu;  ///< of the first rank
  bool ranks_share_gpu = false;            ///< that one; or each has its own
  Run predicted;
  Run measured;  ///< the same program and schedule; the timeline and metrics of the live run
  std::vector<KindAccuracy> kinds;
  std::vector<double> iterations_s;  ///< of every repetition; `measured` is the median one
  std::optional<Numerics> numerics;
  double iteration_error() const;
  /// (p90 - p10) / median of the repetitions.
  double spread() const;
};

/// Runs the program of `predicted`, compute waiting as long as it was predicted to take: what is
/// measured is the schedule, the executor and, over processes, the network. One run more than
/// `repetitions` warms up. Throws Failure when the run is stuck.
Replay replay_timed(Run predicted, LiveDevice& device, int repetitions);

/// `run` as it would be with another timeline of its program.
Run predicted_as(Run run, Timeline timeline);

/// Runs `work` live beside what was predicted of it, and takes that; one run more than
/// `repetitions` warms up. `work` may refer to the program of `predicted`.
void measure_live(Replay& replay, Run& predicted, DeviceWork& work, LiveDevice& device,
                  int repetitions);

/// Returns what became of `predicted`. It is held to no bounds: clocks of ranks and marks of
/// streams agree only so far, and what seems to overlap by it may seem to take longer than all.
Run measured_run(const Run& predicted, Timeline timeline);

/// An empty one of `device`.
Replay replay_on(const LiveDevice& device, const std::string& compute);

/// pipewright.replay/1; several are a list, pipewright.replays/1.
std::string json_text(const std::vector<Replay>& replays);
/// The table for a terminal.
std::string summary(const Replay& replay);

}  // namespace pipewright::live
