// Buckets: which gradients are reduced together.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "plan/memory.hpp"

namespace pipewright {

/// The gradients of a stage in buckets.
struct Buckets {
  std::vector<int> of_layer;   ///< by layer; the last layers are in bucket 0
  std::vector<Bytes> bytes;    ///< by bucket, in the order in which a backward pass fills them
  std::vector<Bytes> experts;  ///< of those, what routed experts have
  /// The part of those buckets that is summed over sides of a tensor grid, by axis.
  std::vector<std::map<Axis, Bytes>> over_sides;
};

/// Layers of `stage` from the last to the first, a bucket closed by the layer that makes it `size`
/// or more. All in one where `size` is not known. A stage without parameters has no buckets.
Buckets gradient_buckets(std::span<const Layer> stage, DType gradients, std::optional<Bytes> size);

/// The layers of a stage whose weights are gathered together: each that has parameters, with those
/// after it that have none.
struct WeightUnits {
  std::vector<int> of_layer;                     ///< in model order
  std::vector<Bytes> weights, gradients;         ///< by unit, of one device, before anything is cut
  std::vector<Bytes> experts, expert_gradients;  ///< of those, what routed experts have
};
WeightUnits weight_units(std::span<const Layer> stage, DType weights, DType gradients);

/// Bytes of a weight on its way, in a block of the model or its tower, and elsewhere; `narrow`: of
/// one that is stored in a format of its own.
struct GatheredBytes {
  double block = 0, other = 0, narrow = 0;
};
/// Returns the bytes of a layer's weights, `all` with those of routed experts.
struct LayerBytes {
  Bytes all, experts;
};
LayerBytes bytes_on_way(const Layer& layer, double parameters, const GatheredBytes& weights);
WeightUnits weight_units(std::span<const Layer> stage, const GatheredBytes& weights,
                         DType gradients);

/// Returns what is used when an experiment does not say: Megatron-LM's max(40 million, 1 million
/// times the data-parallel degree) parameters.
Bytes megatron_bucket(int64_t data, DType gradients);
/// PyTorch DDP's bucket_cap_mb.
inline constexpr Bytes ddp_bucket = 25 * MiB;

}  // namespace pipewright
