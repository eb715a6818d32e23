// Constants of a model and the arguments of Megatron-LM that say them:
// megatron/training/arguments.py and, for the stretching of the rotation,
// megatron/core/models/common/embeddings/.
#pragma once

#include <string_view>

#include "workload/model/constants.hpp"

namespace pipewright::megatron {

/// A constant that an argument says by its value alone.
struct PlainConstant {
  Constant what;
  std::string_view argument;
};
inline constexpr PlainConstant plain_constants[] = {
    {Constant::rotary_base, "rotary-base"},
    {Constant::rotary_share, "rotary-percent"},
    {Constant::norm_epsilon, "norm-epsilon"},
    {Constant::initial_deviation, "init-method-std"},
    {Constant::balance_loss, "moe-aux-loss-coeff"},
    {Constant::z_loss, "moe-z-loss-coeff"},
    {Constant::router_jitter, "moe-input-jitter-eps"},
    {Constant::router_scaling, "moe-router-topk-scaling-factor"}};

/// A word that asks for a flag or a choice; other words are not said.
struct WordedConstant {
  Constant what;
  std::string_view word, argument, value;
};
inline constexpr WordedConstant worded_constants[] = {
    {Constant::activation, "relu2", "squared-relu", ""},
    {Constant::activation, "quick_gelu", "quick-geglu", ""},
    {Constant::sequence_balance, "true", "moe-router-load-balancing-type", "seq_aux_loss"},
    {Constant::sequence_balance, "false", "moe-router-load-balancing-type", "aux_loss"},
    {Constant::router_score, "sigmoid", "moe-router-score-function", "sigmoid"},
    {Constant::router_score, "softmax", "moe-router-score-function", "softmax"},
    {Constant::router_bias, "noaux_tc", "moe-router-enable-expert-bias", ""},
    {Constant::shares_as_are, "false", "moe-router-pre-softmax", ""}};

/// Keys of `rope_scaling` under YaRN, which latent attention has, and their arguments.
struct YarnConstant {
  std::string_view key, argument;
};
inline constexpr YarnConstant yarn_constants[] = {
    {"factor", "rotary-scaling-factor"},
    {"original_max_position_embeddings", "original-max-position-embeddings"},
    {"beta_fast", "beta-fast"},
    {"beta_slow", "beta-slow"},
    {"mscale", "mscale"},
    {"mscale_all_dim", "mscale-all-dim"}};

/// Returns the format of fp8 that recipes of Transformer Engine usually have: gradients have more
/// range (hybrid) where the scale is one of a whole tensor.
constexpr std::string_view usual_fp8_format(std::string_view recipe) {
  return recipe == "delayed" || recipe == "tensorwise" ? "hybrid" : "e4m3";
}

/// The constants of Llama 3.1's stretching that stand in Megatron-LM's source.
struct FixedConstant {
  std::string_view key;
  int value;
};
inline constexpr FixedConstant llama3_constants[] = {
    {"low_freq_factor", 1}, {"high_freq_factor", 4}, {"original_max_position_embeddings", 8192}};

}  // namespace pipewright::megatron
