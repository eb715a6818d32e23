// A small transformer with real numbers, cut into the stages of a schedule.
#pragma once

#include <vector>

#include "calibrate/train/layer.hpp"
#include "workload/transformer_shape.hpp"

namespace pipewright::train {

struct Stage {
  LayerPointer layers;
  std::vector<float> initial;  ///< weights; the same however the model is cut
  int64_t parameters() const { return static_cast<int64_t>(initial.size()); }
};

/// A matrix that the first and the last stage share: each holds a copy, and the sum of both
/// gradients is that of either. Offsets are into the stages' weights; `size` is 0 if there is none.
struct TiedTable {
  int64_t first_offset = 0, last_offset = 0, size = 0;
};

struct StagedModel {
  std::vector<Stage> stages;
  TiedTable tied;
  int64_t hidden = 0;  ///< width of what stages send to each other
};

struct ModelOptions {
  int sequence = 0;
  bool recompute = false;  ///< every block keeps its input alone
  uint64_t seed = 1;
};

/// `blocks` of every stage, in model order; the first stage also looks up tokens, the last one
/// works out the loss.
StagedModel build_model(const TransformerShape& shape, const std::vector<int>& blocks,
                        const ModelOptions& options);

/// What of `shape` these layers do not do, in words; empty if nothing.
std::string unsupported(const TransformerShape& shape);

}  // namespace pipewright::train
