// A mixture of experts as the `experts:` map of a transformer gives it.
#pragma once

#include <cstdint>

#include "config/value.hpp"

namespace pipewright {

/// Mixture of experts in place of the MLP. Block i has it when i >= dense and it is the last of its
/// group of `every` blocks, counted from the first block that may have one.
struct Experts {
  int64_t count = 0;   ///< routed experts of a layer
  int64_t active = 1;  ///< routed experts a token passes through
  /// Routed experts that give a token back as it is, beside `count` (LongCat-Flash, arXiv
  /// 2509.01322).
  int64_t zero = 0;
  int64_t shared = 0;  ///< experts every token passes through as well
  int64_t latent = 0;  ///< width of a token between the routed experts; 0: as between blocks
  int64_t ffn = 0;     ///< inner width of one expert
  int64_t every = 1;
  int64_t dense = 0;          ///< first blocks without experts
  int64_t groups = 1;         ///< that the routed experts are divided into, in order
  int64_t active_groups = 1;  ///< groups that a token may pass through
  double imbalance = 1;    ///< tokens routed to the busiest device of an expert group over the mean
  double capacity = 0;     ///< tokens above this many times the mean are dropped; 0: none are
  int64_t shared_ffn = 0;  ///< inner width of one shared expert; 0: as of a routed one
  bool shared_gate = false;  ///< the shared experts' output is multiplied by a number a token
  bool bias = false;         ///< the products of routed experts add one
  bool latent_norm = false;  ///< the sum of the routed experts, `latent` wide, is normed

  /// Experts among which the router chooses.
  int64_t choices() const { return count + zero; }
  /// Routed experts that work on a token in the mean, where all are chosen alike.
  double working() const {
    return static_cast<double>(active * count) / static_cast<double>(choices());
  }
  /// Tokens that the busiest device works on, over the mean.
  double load() const { return capacity > 0 && capacity < imbalance ? capacity : imbalance; }
  /// Inner width of all shared experts.
  int64_t shared_width() const { return shared * (shared_ffn > 0 ? shared_ffn : ffn); }
  /// Tells whether it stands in `block`.
  bool in(int64_t block) const { return block >= dense && (block - dense + 1) % every == 0; }
};

/// Reads an `experts:` map. `ffn` is the transformer's.
Experts read_experts(const config::Value& value, int64_t ffn, int64_t layers);

}  // namespace pipewright
