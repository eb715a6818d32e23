// Small models with real numbers, cut into the stages of a schedule.
#pragma once

#include <vector>

#include "calibrate/train/layers/sequence.hpp"
#include "workload/model/model.hpp"
#include "workload/tensor_grid.hpp"

namespace pipewright::train {

/// The network that a schedule cuts: the first stage also has `first`, which looks up or takes in
/// samples, the last one `last`, which works out the loss.
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
  /// The stages as each of the ranks that share every stage holds them; empty where one holds them
  /// whole.
  std::vector<std::vector<Stage>> parts;
  /// By stage, how many ranks share it, where not all stages have as many; else empty.
  std::vector<int> of_stages;
  /// Tells of each of those ranks whether it has a part of the loss that no other one has; empty:
  /// the first one has all of it.
  std::vector<bool> has_loss;
  bool in_strips = false;  ///< they share the images, not the tensor-parallel group's weights

  /// Returns how many ranks share a stage, the most where stages have unlike numbers.
  int sharers() const { return parts.empty() ? 1 : static_cast<int>(parts.size()); }
  int sharers_of(int stage) const {
    return of_stages.empty() ? sharers() : of_stages[static_cast<size_t>(stage)];
  }
  bool counts_loss(int sharer) const;
  const Stage& stage(int number, int sharer) const;
  /// Returns the part of the tied table that each rank has which shares `stage`, the first or the
  /// last one.
  TiedTable tied_part(int stage) const;
};

struct ModelOptions {
  int sequence = 0;          ///< tokens
  int tensor = 1;            ///< ranks that share every layer; not with `recompute`
  std::vector<int> tensors;  ///< of each stage, where not all have as many; else empty
  TensorGrid grid;           ///< how those stand: in a line or a cube
  int strips = 1;            ///< ranks that share every image; not with `recompute`
  bool recompute = false;    ///< every block keeps its input alone
  uint64_t seed = 1;
};

/// `blocks` of every stage, in model order.
StagedModel build_model(const Model& model, const std::vector<int>& blocks,
                        const ModelOptions& options);

/// Returns what of `model` the live layers do not do, in words; empty if nothing.
std::string unsupported(const Model& model);

// --- kinds of models, each in its own file ---

Network transformer_network(const TransformerShape& shape, int sequence);
std::string unsupported(const TransformerShape& shape);

/// The whole stages as one of `ranks` tensor-parallel ranks holds them.
std::vector<Stage> tensor_parallel_stages(const TransformerShape& shape, int sequence, int rank,
                                          int ranks, const std::vector<int>& blocks,
                                          const std::vector<Stage>& whole);
/// Returns why `ranks` cannot share the model, in words; empty if they can.
std::string not_divided(const TransformerShape& shape, int ranks);

/// The same on a cube with sides of `side` ranks, `rank` = x + side (y + side z).
std::vector<Stage> cube_stages(const TransformerShape& shape, int sequence, int rank, int side,
                               const std::vector<int>& blocks, const std::vector<Stage>& whole);
std::string not_on_cube(const TransformerShape& shape, int side);

/// The whole stages as the rank with a strip of every image holds them.
std::vector<Stage> strip_stages(const CnnShape& shape, int strip, int strips,
                                const std::vector<int>& blocks, const std::vector<Stage>& whole);
/// Returns what cannot be cut into strips, in words; empty if nothing.
std::string not_in_strips(const CnnShape& shape, int strips);

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
