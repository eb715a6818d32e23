// An experiment predicted, run live, and both beside each other.
#pragma once

#include <string>

#include "calibrate/replay/accuracy.hpp"
#include "result/run_result.hpp"

namespace pipewright::replay {

struct Replay {
  Run predicted;
  Run measured;  ///< the same program and schedule; the timeline and metrics of the live run
  std::vector<KindAccuracy> kinds;
  double iteration_error() const;
};

/// Runs the program of `predicted` on CPU threads, every op waiting as long as it was predicted to
/// take: what is measured is the schedule and the executor. Throws Failure when the run is stuck.
Replay replay_timed(Run predicted);

/// pipewright.replay/1.
std::string json_text(const Replay& replay);
/// The table for a terminal.
std::string summary(const Replay& replay);

}  // namespace pipewright::replay
