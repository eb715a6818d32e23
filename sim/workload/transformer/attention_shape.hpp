// The dimensions of attention: the keys of a `transformer:` map that say how its heads are made.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/value.hpp"

namespace pipewright {

/// Attention with low-rank queries, keys and values (multi-head latent attention, arXiv
/// 2405.04434). Widths per head but for the ranks.
struct LatentAttention {
  int64_t query = 0;  ///< rank of the queries; 0: projected directly
  int64_t key_value = 0;
  int64_t nope = 0;  ///< width of a query or key without positions
  int64_t rope = 0;  ///< and of the part with rotary positions, shared by the heads in the key
  int64_t value = 0;
};

/// What scores all keys of a query and lets attention see the best of them only (DeepSeek sparse
/// attention, arXiv 2512.02556).
struct Indexer {
  int64_t heads = 0, head_dim = 0;  ///< of the scores
  int64_t keys = 0;                 ///< that a query sees at most
  /// Keys that are chosen together by the best score of them, for every head by itself, whose
  /// queries are made of the stream (MiniMax-M3); 0: each key by a sum over the heads.
  int64_t block = 0;
  /// Who chooses the keys of a block.
  enum class Choice : uint8_t { own, shared, none };
  /// Of blocks 0, 1, ..., those that choose for themselves, that take the choice of the block
  /// before, and that see all keys. Where it is shorter than the model it begins again; empty: all
  /// choose.
  std::vector<Choice> choices;

  Choice choice(int64_t block) const {
    return choices.empty() ? Choice::own : choices[static_cast<size_t>(block) % choices.size()];
  }
  bool in(int64_t block) const { return choice(block) == Choice::own; }
  bool limits(int64_t block) const { return choice(block) != Choice::none; }
};

/// Keys that stand for several tokens each, beside those of the last `window` (DeepSeek-V4).
struct Compression {
  int64_t few = 0;   ///< tokens of a key in blocks with an indexer, which chooses among the keys
  int64_t many = 0;  ///< in blocks that see all keys
};

/// A product from all heads to the stream through a low rank, for groups of heads by themselves.
struct LowRankOutput {
  int64_t rank = 0;    ///< of a group
  int64_t groups = 1;  ///< of heads
};

/// What normalises queries and keys before their product.
enum class HeadNorm : uint8_t {
  none,
  head,   ///< every head by itself, with one gain for all of them
  width,  ///< all heads together
  unit,   ///< every head by itself, without a gain
};

/// The projections of attention that add a bias.
enum class AttentionBias : uint8_t {
  as_products,  ///< as the model's other products do
  none,
  inputs,  ///< those to queries, keys and values
  all,
  output,  ///< the one from the heads
};

/// The heads of a block.
struct Heads {
  int64_t queries = 0, keys = 0;  ///< heads of each
  int64_t width = 0;              ///< numbers of a head of queries or keys
  int64_t value = 0;              ///< and of values
  bool values_are_keys = false;   ///< values are the keys before norm and rotation
};

struct AttentionDimensions {
  int64_t heads = 0, kv_heads = 0, head_dim = 0;
  int64_t value_dim = 0;      ///< of a head of values; 0: as head_dim
  std::optional<Heads> full;  ///< of blocks that see all tokens, where those are others
  int64_t window = 0;         ///< tokens a query sees at most where it does not see all; 0: all
  int64_t window_every = 1;   ///< the window holds in blocks 0, window_every, 2 window_every, ...
  std::optional<LatentAttention> latent;
  std::optional<Indexer> indexer;
  HeadNorm norm = HeadNorm::none;
  bool value_norm = false;  ///< every head of values is normalised by itself, without a gain
  AttentionBias bias = AttentionBias::as_products;
  bool sinks = false;            ///< a learned score that every head adds to those of the keys
  bool gate = false;             ///< the heads' output is multiplied by a gate as wide
  bool head_gate = false;        ///< or every head's by one number
  bool soft_cap = false;         ///< scores pass through a tanh
  bool local_positions = false;  ///< blocks that see all tokens know no positions
  bool values_are_keys = false;  ///< values are the keys, normed and rotated
  int64_t query_rank = 0;  ///< rank through which queries are made, beside whole keys; 0: directly
  std::optional<LowRankOutput> output;
  std::optional<Compression> compression;
  /// The last blocks that have no keys and values of their own: each takes those of the last block
  /// of its kind before them (Gemma 3n, Gemma 4).
  int64_t borrowing = 0;

  /// Numbers of a gate for each head whose values are `value` wide; 0: there is none.
  int64_t gates(int64_t value) const { return gate ? value : head_gate ? 1 : 0; }
  /// Returns the heads of a block that sees all tokens, or of another. Those of latent attention
  /// are not meant.
  Heads of(bool sees_all) const;
  /// Tells whether it is nothing beyond heads, of low rank or not, and a window.
  bool is_plain() const;
};

/// Reads the keys of attention that `fields`, a `transformer:` map, has. Throws InputError for
/// dimensions that contradict each other.
AttentionDimensions read_attention(const config::Fields& fields, int64_t hidden);

}  // namespace pipewright
