// Optimizers over all weights of a stage at once.
#pragma once

#include <optional>
#include <string_view>

#include "calibrate/train/layers/layer.hpp"

namespace pipewright::train {

enum class Rule : uint8_t { sgd, momentum, rmsprop, adam, adamw };
/// Finds a rule by the name of an experiment's `optimizer`; none for those that are not run live.
std::optional<Rule> find_rule(std::string_view name);

/// A rate at which small models learn without diverging, by rule.
double default_learning_rate(Rule rule);

struct OptimizerOptions {
  Rule rule = Rule::adam;
  double learning_rate = default_learning_rate(rule);
  double momentum = 0.9;  ///< of Rule::momentum
  double decay = 0.01;    ///< of Rule::adamw
  /// Spike compensation of Rule::momentum m, for gradients that are so many steps late (Kosson et
  /// al., arXiv 2003.11666): weights -= learning_rate (m^D velocity + (1 - m^D) / (1 - m)
  /// gradient).
  int spike_delay = 0;
  bool differences = false;  ///< direction() is the weights' last change
};

class Optimizer {
 public:
  Optimizer(const OptimizerOptions& options, Kernels& kernels, int64_t parameters);
  void step(const Tensor& gradient, const Tensor& weights);
  /// The velocity, or the update that takes its place, by unit of learning rate, weight decay and
  /// spikes apart; or the last step's change of the weights by that unit. Weights that prediction
  /// expects n steps later are weights - n * learning_rate * direction. Zero before the first step.
  Array direction() const;
  double learning_rate() const { return options_.learning_rate; }

 private:
  kernels::AdamStep adam() const;
  void update(const Tensor& gradient, const Tensor& weights);
  OptimizerOptions options_;
  Kernels& kernels_;
  int64_t steps_ = 0;
  Array first_, second_;  // moments; the velocity is the first one
  Array change_;          // with options.differences
};

}  // namespace pipewright::train
