// A model as a list of layers, each with the work of one device of its tensor-parallel group on one
// micro-batch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workload/work.hpp"

namespace pipewright {

enum class CollectiveKind : uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  reduce,
  shift,  ///< every member sends `bytes` to the next one of a ring
};

/// The group of devices that takes part: those that differ in this degree of parallelism only. A
/// row, column and depth are the lines of a TensorGrid along its first, second and third side.
enum class Axis : uint8_t {
  tensor,
  context,
  context_heads,  ///< neighbours in a context group that exchange heads
  context_ring,   ///< those of them that have the same heads
  expert,         ///< devices that hold different experts
  expert_tensor,  ///< devices that hold different parts of the same experts
  expert_block,   ///< devices that together hold all experts once
  data,
  pipeline,
  shard,           ///< replicas that have the weights cut over them
  copies,          ///< replicas that hold the same piece of the weights
  tensor_context,  ///< tensor and context ranks of a replica
  stage,           ///< all devices of a pipeline rank
  tensor_row,
  tensor_column,
  tensor_depth,
  expert_copies,  ///< devices of a site, or of `shard` replicas, that hold the same experts
  // The planes of a TensorGrid, along two of its sides.
  tensor_row_column,
  tensor_row_depth,
  tensor_column_depth,
  sites,        ///< devices at the same place of every site
  near,         ///< neighbouring replicas that exchange among themselves first
  near_copies,  ///< replicas at the same place of those groups
};
inline constexpr int axes = 23;

/// A collective over one group. `bytes` means what nccl-tests means by size: the whole buffer, also
/// for all_gather (gathered) and reduce_scatter (before scattering).
struct CollectiveWork {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Axis axis = Axis::tensor;
  Bytes bytes;
  /// The host waits for its result, which tells what it is to start next: how many tokens come.
  bool tells_host = false;
};

/// Kernels in order, then, if there is one, a collective on their result that the next segment of
/// the same chain waits for. A pass of one chain never computes while it communicates.
struct Segment {
  std::vector<Work> kernels;
  std::optional<CollectiveWork> collective;
  int part = 0;  ///< of a stage whose weights or gradients are communicated in parts
  int chain = 0;
  bool joins = false;     ///< waits for the collectives of all chains
  bool captured = false;  ///< the collective is in a CUDA graph
};

using Segments = std::vector<Segment>;

/// Weights whose gradients are sums over an axis of the tensor group.
struct SummedParameters {
  Axis axis = Axis::tensor;
  double parameters = 0;  ///< of one device
};

/// A tower reads images in front of the embedding. A prediction is a module that predicts a token
/// after the next one.
enum class LayerKind : uint8_t { tower, embedding, block, prediction, head, other };

/// Tells whether such a layer stands in front of all blocks.
inline bool is_before_blocks(LayerKind kind) {
  return kind == LayerKind::tower || kind == LayerKind::embedding;
}

/// Tells whether such a layer's products have matrices of weights that are no table of words.
inline bool has_matrices(LayerKind kind) {
  return kind == LayerKind::tower || kind == LayerKind::block;
}

/// Tells whether such a layer stands behind all blocks.
inline bool is_behind_blocks(LayerKind kind) {
  return kind == LayerKind::prediction || kind == LayerKind::head;
}

/// The weights that a layer has in common with another, which counts them.
struct TiedWeights {
  /// The embedding's weights, which one device holds once more where this layer's stage is not the
  /// embedding's.
  double device_parameters = 0;
  bool has_table = false;  ///< the embedding's weights are among the layer's own, which is a block
  bool to_former = false;  ///< all weights are those of the layer before this one
};

/// What one device holds for a part of a pass.
struct PassMemory {
  Bytes transient;    ///< while the backward pass of a layer runs (recomputed)
  Bytes reclaimable;  ///< given up, but not reused within a forward pass while there is room
};

/// One layer. Work, bytes and `device_parameters` are those of one device after tensor, context and
/// expert parallelism and for one micro-batch; `model_flops` and `parameters` are of the whole
/// layer.
struct Layer {
  std::string name;
  LayerKind kind = LayerKind::other;
  double parameters = 0;         ///< of the whole layer
  double device_parameters = 0;  ///< held by one device
  /// The part of device_parameters that belongs to routed experts. Other devices of the expert
  /// group hold other experts, so these are replicated over fewer devices than the rest.
  double device_expert_parameters = 0;
  /// Of device_parameters, those of products that are stored in a narrow format, routed experts'
  /// among them.
  double narrow_parameters = 0;
  /// The parameters of one device that are trained, where not all are: those of adapters.
  std::optional<double> trained;
  double trained_experts = 0;            ///< of trained: adapters that routed experts have
  std::vector<SummedParameters> summed;  ///< of device_parameters, by axis
  TiedWeights tied;
  double model_flops = 0;  ///< forward, whole layer, one micro-batch: 2 FLOPs a multiply-add
  Segments forward;
  Segments recompute;        ///< what is run again before the backward pass; empty for none
  Segments input_gradient;   ///< in the order of execution
  Segments weight_gradient;  ///< the half that can be deferred
  Bytes stash;               ///< activations held from forward to the weight gradient
  Bytes leaves;              ///< of stash: what a host can keep meanwhile
  PassMemory passing;
  Bytes output;  ///< sent to the next stage when the layer is the last of its stage
};

/// Tells whether the embedding's weights are among those of the layer.
inline bool has_embedding(const Layer& layer) {
  return layer.kind == LayerKind::embedding || layer.tied.has_table;
}

}  // namespace pipewright
