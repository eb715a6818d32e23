// The parts of a live training run, apart from how its work is spread.
#pragma once

#include <functional>

#include "calibrate/train/reference/optimizer.hpp"
#include "calibrate/train/reference/stage_state.hpp"
#include "calibrate/train/reference/task.hpp"

namespace pipewright::train {

/// Those of `count` ranks that share out the sequences of a micro-batch which is number `number`.
struct Replica {
  int number = 0, count = 1;
};

struct Training {
  Task task;
  OptimizerOptions optimizer;
  std::vector<int> spike_delays;  ///< by stage, of the optimizer; empty: none
  int replicas = 1;               ///< that work on different data
  std::vector<int> of_stages;  ///< replicas of each stage, where not all have as many; else empty
  int micro_sequences = 1;     ///< of a micro-batch, of one of `replicas`
  int step_every = 1;          ///< micro-batches of a replica that make an optimizer step
  int steps = 1;
  std::vector<int> slice_tokens;  ///< of each token slice, in order; at least one

  int micro_batches() const { return step_every * steps; }
  int slices() const { return static_cast<int>(slice_tokens.size()); }
  OptimizerOptions optimizer_of(size_t stage) const;
  int replicas_of(int stage) const {
    return of_stages.empty() ? replicas : of_stages[static_cast<size_t>(stage)];
  }
  /// Returns a slice of a micro-batch of a replica. Micro-batches count on through the steps.
  /// Without its tokens, which only the model's ends look at, it costs nothing to make.
  Batch batch(int micro_batch, Replica replica, int slice, bool with_tokens = true) const;
};

/// The weights that the passes of `stage` over `micro_batch` read.
struct PassReads {
  std::function<Reads(int stage, int micro_batch)> forward, backward;
};

/// The state that training ends with.
struct Trained {
  std::vector<std::vector<float>> weights;  ///< by stage
  std::vector<double> losses;               ///< by step: mean over its tokens, before the step
};

}  // namespace pipewright::train
