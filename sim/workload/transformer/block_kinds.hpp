// The kind of each block: what mixes its tokens, and what works on every token by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/value.hpp"

namespace pipewright {

/// What mixes the tokens of a block.
enum class Mixer : uint8_t {
  full,                  ///< attention to all tokens
  sliding,               ///< attention to the last `window` tokens
  chunked,               ///< attention to the tokens of one's own chunk of `window`
  lightning,             ///< linear attention with a decay (arXiv 2401.04658)
  gated_delta,           ///< linear attention by the gated delta rule (arXiv 2412.06464)
  state_space,           ///< Mamba 2 (arXiv 2405.21060)
  selective_scan,        ///< Mamba 1 (arXiv 2312.00752)
  few_compressed,        ///< sliding, and chosen ones of keys that stand for a few tokens
  many_compressed,       ///< sliding, and all keys, each of which stands for many tokens
  short_convolution,     ///< a gated convolution over a few tokens (LFM2, arXiv 2511.23404)
  gated_recurrence,      ///< gated linear recurrent units (Griffin, arXiv 2402.19427)
  time_mixing,           ///< RWKV-7's generalised delta rule (arXiv 2503.14456)
  full_and_state_space,  ///< attention and Mamba 2 side by side (Falcon-H1, arXiv 2507.22448)
  none,                  ///< nothing: the block only has a feed-forward
};

/// What works on every token of a block.
enum class Feed : uint8_t {
  dense,    ///< an MLP
  experts,  ///< a mixture of experts
  none,     ///< nothing: the block only has a mixer
};

bool is_attention(Mixer mixer);
/// Tells whether attention of the block sees all tokens.
bool sees_all(Mixer mixer);
/// Tells whether keys that stand for several tokens are among those that it sees.
bool compresses(Mixer mixer);
/// "full", "gated-delta", ...
std::string_view name_of(Mixer mixer);
std::string_view name_of(Feed feed);

/// A state-space layer: Mamba 2's heads, which share B and C by groups.
struct StateSpace {
  int64_t heads = 0, head_dim = 0;
  int64_t state = 0;   ///< numbers of state for each of a head's
  int64_t groups = 1;  ///< of heads with the same B and C
  int64_t convolution = 4, chunk = 256;
  bool bias = false;  ///< of the projections
  bool convolution_bias = true;
  bool norm = true;  ///< what the scan gives is normed; false: it is only multiplied by the gate

  int64_t inner() const { return heads * head_dim; }
  int64_t convolved() const { return inner() + 2 * groups * state; }
};

/// A selective scan: Mamba 1's channels, each with a state of its own.
struct SelectiveScan {
  /// What norms the step, B and C before they are used.
  enum class InputNorm : uint8_t { none, unit, gains };

  int64_t inner = 0;  ///< channels
  int64_t state = 0;  ///< numbers of state for each
  int64_t rank = 0;   ///< of the step
  int64_t convolution = 4;
  bool bias = false;  ///< of the projections
  bool convolution_bias = true;
  InputNorm norm = InputNorm::none;

  int64_t made() const { return rank + 2 * state; }  ///< the step, B and C of a token
};

/// Linear attention by the gated delta rule. A key head serves several value heads.
struct GatedDelta {
  int64_t key_heads = 0, value_heads = 0, key_dim = 0, value_dim = 0;
  int64_t convolution = 4, chunk = 64;
  /// A decay is of every channel of a key (Kimi Linear, arXiv 2510.26692), not of a head.
  bool channel_decay = false;
  int64_t rank = 0;       ///< through which decays of channels are made; 0: directly
  int64_t gate_rank = 0;  ///< likewise the gate

  int64_t keys() const { return key_heads * key_dim; }
  int64_t values() const { return value_heads * value_dim; }
  int64_t convolved() const { return 2 * keys() + values(); }
};

/// RWKV-7's time mixing. Decays, rates, a share of the first block's values, and the gate are made
/// through low ranks.
struct TimeMixing {
  int64_t heads = 0;
  int64_t decay_rank = 0, rate_rank = 0, value_rank = 0, gate_rank = 0;
  int64_t chunk = 64;
};

/// Gated linear recurrent units, one a channel. Their gates are made of blocks of channels.
struct GatedRecurrence {
  int64_t width = 0;   ///< channels
  int64_t blocks = 0;  ///< of them, each of which makes its gates by itself
  int64_t convolution = 4;

  int64_t block_width() const { return width / blocks; }
};

/// What lightning attention has beside its heads.
struct Lightning {
  int64_t norm_groups = 1;  ///< of heads, each normed by itself
  bool head_norms = false;  ///< queries and keys are normed, every head with the gains of one
};

/// A convolution over the last `taps` tokens between two gates.
struct ShortConvolution {
  int64_t taps = 3;
  bool bias = false;  ///< of the projections and of the convolution
};

/// Where a list is shorter than the model has blocks, it begins again.
struct BlockKinds {
  std::vector<Mixer> mixers;  ///< of blocks 0, 1, ...; none: attention everywhere
  std::vector<Feed> feeds;    ///< none: experts where the experts say so, else an MLP
  std::optional<StateSpace> state_space;
  std::optional<GatedDelta> gated_delta;
  std::optional<SelectiveScan> selective_scan;
  ShortConvolution short_convolution;
  Lightning lightning;
  std::optional<TimeMixing> time_mixing;
  std::optional<GatedRecurrence> gated_recurrence;

  bool has(Mixer mixer) const;
  bool has_state_space() const;
  /// Tells whether a block passes a state on from token to token.
  bool passes_state() const;
};

/// Reads the keys `mixers`, `feeds`, `state_space`, `gated_delta`, `selective_scan`,
/// `short_convolution`, `lightning`, `time_mixing` and `gated_recurrence` of a `transformer:` map.
/// Throws InputError for a kind that is not known and for one whose dimensions are missing.
BlockKinds read_block_kinds(const config::Fields& fields);

}  // namespace pipewright
