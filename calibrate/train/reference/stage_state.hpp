// One rank's copy of a stage while it trains: weights in all versions that are still read,
// gradients of steps that are still to be made, and what micro-batches left for their backward.
#pragma once

#include "calibrate/train/layers/model.hpp"
#include "calibrate/train/reference/optimizer.hpp"

namespace pipewright::train {

/// The weights that a pass reads: `version` optimizer steps have made them, and prediction carries
/// them `ahead` steps further.
struct Reads {
  int version = 0;
  int ahead = 0;
};

class StageState {
 public:
  /// `reads` is the number of passes that will read each version, from 0 on; a version is freed
  /// after the last of them. `steps` is the number of optimizer steps.
  StageState(const Stage& stage, Kernels& kernels, const OptimizerOptions& optimizer,
             std::vector<int> reads, int steps, int micro_batches, bool predicts);

  /// Runs as far as the next exchange: see Sequence.
  void forward(const Reads& reads, int micro_batch, const Batch& batch, Progress& progress);
  void input_gradient(const Reads& reads, int micro_batch, const Batch& batch, Progress& progress);
  /// Adds to the gradient of optimizer step `step`.
  void weight_gradient(const Reads& reads, int micro_batch, const Batch& batch, int step,
                       Progress& progress);
  /// Runs both halves of the backward pass.
  void backward(const Reads& reads, int micro_batch, const Batch& batch, int step,
                Progress& progress);
  /// One of the passes that read this version is over.
  void was_read(int version);

  /// All parameters, [1, n]; zero until a pass has added to it.
  Tensor gradient(int step);
  /// Makes version step + 1.
  void step(int step);
  /// The newest version.
  Tensor weights() const { return versions_.back().weights; }

 private:
  struct Version {
    Array weights;
    Array direction;  ///< of the step that made it, for prediction
  };
  Array read(const Reads& reads) const;
  Call call(const Array& weights, const Batch& batch, Stash& stash) {
    return {kernels_, weights, batch, stash};
  }

  const Stage& stage_;
  Kernels& kernels_;
  Optimizer optimizer_;
  bool predicts_;
  std::vector<Version> versions_;  ///< by number; empty once nobody will read it
  std::vector<int> reads_;
  std::vector<Array> gradients_;  ///< by step
  std::vector<Stash> stashes_;    ///< by micro-batch
};

}  // namespace pipewright::train
