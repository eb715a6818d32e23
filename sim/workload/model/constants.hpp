// Constants of a model that no time changes with: the base of its rotation, the epsilon of its
// norms. Their names are those of Hugging Face's configurations.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workload/transformer/transformer_shape.hpp"

namespace pipewright {

enum class Constant : uint8_t {
  rotary_base,
  rotary_share,    ///< of a head's numbers
  rotary_scaling,  ///< a map, for sequences that are longer than those of the first training
  norm_epsilon,
  initial_deviation,  ///< of weights at the start
  activation,
  balance_loss,      ///< the coefficient of the router's auxiliary loss
  sequence_balance,  ///< the auxiliary loss is of each sequence
  z_loss,
  router_jitter,
  router_score,
  router_scaling,
  router_bias,          ///< how experts are chosen: with a bias for balance
  shares_as_are,        ///< the chosen experts' shares are not brought to a sum of one
  fp8_format,           ///< of products: e4m3, or hybrid, whose gradients have more range
  megatrons_arguments,  ///< arguments of Megatron-LM that Hugging Face has no name for
  other
};

struct ModelConstant {
  Constant what = Constant::other;
  std::string key;     ///< as the configuration calls it
  config::Value said;  ///< whole numbers are without a point
};

/// Returns the constants that `model`, a model map or a Hugging Face configuration, says and that
/// are not what every framework takes without being told.
std::vector<ModelConstant> constants_of(const config::Value& model, const TransformerShape& shape);

/// Returns the first key that a constant has.
std::string_view name_of(Constant what);

/// Throws InputError for a key of `constants` that is no constant, and for a value that it cannot
/// have.
void check_constants(const config::Value& constants);

}  // namespace pipewright
