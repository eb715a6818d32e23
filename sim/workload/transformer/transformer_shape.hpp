// The dimensions of a transformer as the `transformer:` map of a model gives them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "config/value.hpp"
#include "workload/transformer/attention_shape.hpp"
#include "workload/transformer/block_kinds.hpp"
#include "workload/transformer/experts_shape.hpp"
#include "workload/transformer/vision_shape.hpp"

namespace pipewright {

enum class Positions : uint8_t { learned, rope, alibi, none };
enum class Norm : uint8_t { layernorm, rmsnorm };
/// The function between the products of an MLP, as its kernels differ; eager.cpp.
enum class Activation : uint8_t { gelu, gelu_new, relu, silu };

/// The places of a block's norms and sums.
enum class BlockForm : uint8_t {
  serial,    ///< x + f(norm(x)), for the mixer, then for the feed-forward
  parallel,  ///< x + mixer(y) + feed(y) with y = norm(x)
  after,     ///< x + norm(f(x))
  both,      ///< x + norm(f(norm(x)))
};

/// Blocks of a decoder that follow the `layers` of an encoder and attend to its output too.
struct Decoder {
  int64_t layers = 0;
  int64_t sequence = 0;  ///< its tokens; 0: as many as the encoder's
};

/// Two convolutions over frames of sound in front of an encoder, in place of an embedding, which
/// the decoder then has (Whisper, arXiv 2212.04356).
struct SoundFront {
  int64_t bins = 0;  ///< numbers of a frame; two frames make a token
};

/// What stands before the first block and after the last.
struct ModelEnds {
  int64_t vocabulary = 0;
  bool tied = true;  ///< the head uses the embedding's weights
  /// A head that tells which of so many classes a sequence is of; 0: the next token.
  int64_t classes = 0;
  bool soft_cap = false;  ///< logits pass through a tanh
  /// Modules beside the head each of which predicts one token further on.
  int64_t predicted = 0;
};

/// A table of embeddings for every block, through which a token reaches it again (Gemma 3n, Gemma
/// 4: per-layer embeddings).
struct BlockInputs {
  int64_t width = 0;  ///< of an embedding; 0: there are none
  int64_t vocabulary = 0;
};

struct TransformerShape {
  int64_t layers = 0, hidden = 0, ffn = 0;
  /// Widths of the MLPs of blocks 0, 1, ..., which begin again; empty: all are `ffn` wide, which is
  /// the widest.
  std::vector<int64_t> ffns;
  /// Groups of consecutive blocks that share their weights (ALBERT, arXiv 1909.11942); 0: every
  /// block has its own.
  int64_t hidden_groups = 0;
  bool gated = false, bias = true, encoder = false;
  /// Trained with dropout. Not said: models with biases (GPT-2 and 3, BERT) are, those without
  /// (Llama, Mixtral) are not.
  bool dropout = true;
  BlockForm form = BlockForm::serial;
  Positions positions = Positions::learned;
  Norm norm = Norm::layernorm;
  Activation activation = Activation::gelu;
  AttentionDimensions attention;
  std::optional<Experts> experts;
  BlockKinds kinds;
  Decoder decoder;
  std::optional<SoundFront> sound;
  ModelEnds ends;
  std::optional<VisionTower> vision;  ///< in front, where samples have images
  /// Residual streams side by side, which learned weights mix before and after each branch
  /// (hyper-connections, arXiv 2409.19606).
  int64_t streams = 1;
  /// Only the first stream passes through a block; the others are predicted and then corrected by
  /// its result (AltUp, arXiv 2301.13310).
  bool alternating = false;
  /// Rank of a product of what a mixer reads, which is added to the stream beside it (LAuReL, arXiv
  /// 2411.07501); 0: there is none.
  int64_t laurel = 0;
  /// Blocks of a group whose result all later branches read, each with weights of its own
  /// (attention residuals); 0: a branch reads the sum of all before it.
  int64_t block_residuals = 0;
  BlockInputs inputs;
  bool wide_borrowers = false;  ///< MLPs of blocks that borrow keys are twice as wide

  Mixer mixer(int64_t block) const;
  Feed feed(int64_t block) const;
  bool has_attention() const;
  /// Tells whether `block` runs by the weights of the block before it.
  bool shares_weights(int64_t block) const;
  /// Tells whether `block` has an indexer of its own.
  bool chooses_keys(int64_t block) const {
    return attention.indexer && attention.indexer->in(block);
  }
  /// Tells whether `block` takes keys and values from an earlier one.
  bool borrows(int64_t block) const { return block >= layers - attention.borrowing; }
  /// Tells whether later blocks take a share of the values of `block` (RWKV-7).
  bool makes_values(int64_t block) const {
    return block == 0 && mixer(block) == Mixer::time_mixing;
  }
  /// Groups of blocks that begin before `block` does, whose results it may read beside the sum.
  int64_t groups_before(int64_t block) const {
    return block_residuals > 0 ? (block + block_residuals - 1) / block_residuals : 0;
  }
  /// The width of the MLP of `block`.
  int64_t ffn_of(int64_t block) const {
    if (!ffns.empty()) return ffns[static_cast<size_t>(block) % ffns.size()];
    return wide_borrowers && borrows(block) ? 2 * ffn : ffn;
  }
  /// Tells whether some block has an MLP, whose width is `ffn`.
  bool has_mlp() const;
  /// Tokens a query of `block` sees at most in a sequence of `sequence`.
  int64_t reach(int64_t block, int64_t sequence) const;
  /// The most tensor ranks over which the heads of every mixer divide.
  int64_t common_heads() const;
  /// Names a part that blocks of GPT and Llama do not have, for who knows only those; empty: none.
  std::string_view rare_part() const;
};

/// The keys of a `transformer:` map.
std::span<const std::string_view> transformer_keys();

/// Reads a `transformer:` map. Throws InputError for unknown keys, missing layers, hidden, heads or
/// vocabulary, and dimensions that contradict each other.
TransformerShape read_transformer(const config::Value& value);

}  // namespace pipewright
