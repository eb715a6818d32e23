// Constants of a model as a Hugging Face configuration says them. No time changes with them, so our
// model does not have them, but a job that does not say them trains another model.
#pragma once

#include <string>
#include <vector>

#include "experiment/experiment.hpp"

namespace pipewright::job {

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
  router_bias,    ///< how experts are chosen: with a bias for balance
  shares_as_are,  ///< the chosen experts' shares are not brought to a sum of one
  other
};

struct ModelConstant {
  Constant what = Constant::other;
  std::string key;     ///< as the configuration calls it
  config::Value said;  ///< whole numbers are without a point

  /// Returns the value on one line.
  std::string value() const;
  /// Returns "rope_theta 1000000".
  std::string text() const;
};

/// Returns the constants that the model's configuration says and that are not what every framework
/// takes without being told. Empty for a model that is no Hugging Face configuration.
std::vector<ModelConstant> model_constants(const Experiment& experiment);

}  // namespace pipewright::job
