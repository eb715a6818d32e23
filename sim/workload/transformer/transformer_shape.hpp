// The dimensions of a transformer as the `transformer:` map of a model gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "config/value.hpp"

namespace pipewright {

enum class Positions : uint8_t { learned, rope, alibi, none };
enum class Norm : uint8_t { layernorm, rmsnorm };

/// Mixture of experts in place of the MLP. Block i has it when i >= dense and it is the last of its
/// group of `every` blocks, counted from the first block that may have one.
struct Experts {
  int64_t count = 0;   ///< routed experts of a layer
  int64_t active = 1;  ///< routed experts a token passes through
  int64_t shared = 0;  ///< experts every token passes through as well
  int64_t ffn = 0;     ///< inner width of one expert
  int64_t every = 1;
  int64_t dense = 0;          ///< first blocks without experts
  int64_t groups = 1;         ///< that the routed experts are divided into, in order
  int64_t active_groups = 1;  ///< groups that a token may pass through
  double imbalance = 1;  ///< tokens routed to the busiest device of an expert group over the mean
  double capacity = 0;   ///< tokens above this many times the mean are dropped; 0: none are

  /// Tokens that the busiest device works on, over the mean.
  double load() const { return capacity > 0 && capacity < imbalance ? capacity : imbalance; }
};

/// Attention with low-rank queries, keys and values (multi-head latent attention, arXiv
/// 2405.04434). Widths per head but for the ranks.
struct LatentAttention {
  int64_t query = 0;  ///< rank of the queries; 0: projected directly
  int64_t key_value = 0;
  int64_t nope = 0;  ///< width of a query or key without positions
  int64_t rope = 0;  ///< and of the part with rotary positions, shared by the heads in the key
  int64_t value = 0;
};

struct TransformerShape {
  int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn = 0, vocabulary = 0;
  bool gated = false, tied_embeddings = true, bias = true, encoder = false, parallel_block = false;
  /// Trained with dropout. Not said: models with biases (GPT-2 and 3, BERT) are, those without
  /// (Llama, Mixtral) are not.
  bool dropout = true;
  Positions positions = Positions::learned;
  Norm norm = Norm::layernorm;
  std::optional<Experts> experts;
  std::optional<LatentAttention> latent;
  /// Blocks of a decoder that follow the `layers` of an encoder and attend to its output too.
  int64_t decoder = 0;
  int64_t decoder_sequence = 0;  ///< its tokens; 0: as many as the encoder's
  /// A head that tells which of so many classes a sequence is of; 0: the next token.
  int64_t classes = 0;
  int64_t window = 0;        ///< tokens a query sees at most; 0: all
  int64_t window_every = 1;  ///< the window holds in blocks 0, window_every, 2 window_every, ...

  bool has_experts(int64_t block) const;
  /// Tokens a query of `block` sees at most in a sequence of `sequence`.
  int64_t reach(int64_t block, int64_t sequence) const;
};

/// The keys of a `transformer:` map.
std::span<const std::string_view> transformer_keys();

/// Reads a `transformer:` map. Throws InputError for unknown keys, missing layers, hidden, heads or
/// vocabulary, and dimensions that contradict each other.
TransformerShape read_transformer(const config::Value& value);

}  // namespace pipewright
