// Small models with real numbers, cut into the stages of a schedule.
#pragma once

#include <vector>

#include "calibrate/train/sequence.hpp"
#include "workload/model.hpp"

namespace pipewright::train {

/// What a schedule cuts: the first stage also has `first`, which looks up or takes in samples, the
/// last one `last`, which works out the loss.
struct Network {
  LayerPointer first;
  std::vector<LayerPointer> blocks;
  LayerPointer last;
  int64_t tied = 0;  ///< weights that begin `first` and end `last`: the same matrix
};

struct Stage {
  Sequence layers;
  std::vector<float> initial;   ///< weights; the same however the model is cut
  std::vector<int64_t> places;  ///< of those of a part: theirs in the whole stage; empty: all
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
  /// By tensor-parallel rank the stages as it holds them; empty where ranks hold them whole.
  std::vector<std::vector<Stage>> parts;

  int tensor() const { return parts.empty() ? 1 : static_cast<int>(parts.size()); }
  const Stage& stage(int number, int tensor_rank) const;
  /// Of a tensor-parallel rank's stages.
  TiedTable tied_part() const;
};

struct ModelOptions {
  int sequence = 0;        ///< tokens
  int tensor = 1;          ///< ranks that share every layer; not with `recompute`
  bool recompute = false;  ///< every block keeps its input alone
  uint64_t seed = 1;
};

/// `blocks` of every stage, in model order.
StagedModel build_model(const Model& model, const std::vector<int>& blocks,
                        const ModelOptions& options);

/// What of `model` the live layers do not do, in words; empty if nothing.
std::string unsupported(const Model& model);

// --- kinds of models, each in its own file ---

Network transformer_network(const TransformerShape& shape, int sequence);
std::string unsupported(const TransformerShape& shape);

/// The whole stages as one of `ranks` tensor-parallel ranks holds them.
std::vector<Stage> tensor_parallel_stages(const TransformerShape& shape, int sequence, int rank,
                                          int ranks, const std::vector<int>& blocks,
                                          const std::vector<Stage>& whole);
/// Why `ranks` cannot share the model, in words; empty if they can.
std::string not_divided(const TransformerShape& shape, int ranks);

Network image_network(const CnnShape& shape);
std::string unsupported(const CnnShape& shape);

Network lstm_network(const RecurrentShape& shape);
std::string unsupported(const RecurrentShape& shape);

template <class... Layers>
LayerPointer chain_of(Layers... layers) {
  std::vector<LayerPointer> list;
  (list.push_back(std::move(layers)), ...);
  return chain(std::move(list));
}

}  // namespace pipewright::train
