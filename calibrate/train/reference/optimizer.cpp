#include "calibrate/train/reference/optimizer.hpp"

#include <cmath>

namespace pipewright::train {
namespace {

bool is_adam(Rule rule) { return rule == Rule::adam || rule == Rule::adamw; }
bool has_second_moment(Rule rule) { return is_adam(rule) || rule == Rule::rmsprop; }

/// Beyond these Adam's corrections of its moments' bias towards zero are 1.
constexpr int64_t uncorrected = int64_t{1} << 40;

Array zeros(Kernels& kernels, int64_t size) {
  Array array = kernels.array(1, size);
  kernels.zero(array);
  return array;
}

}  // namespace

std::optional<Rule> find_rule(std::string_view name) {
  if (name == "sgd") return Rule::sgd;
  if (name == "momentum") return Rule::momentum;
  if (name == "rmsprop") return Rule::rmsprop;
  if (name == "adam") return Rule::adam;
  if (name == "adamw") return Rule::adamw;
  return std::nullopt;
}

double default_learning_rate(Rule rule) {
  switch (rule) {
    case Rule::sgd:
      return 0.1;
    case Rule::momentum:
      return 0.02;
    case Rule::rmsprop:
    case Rule::adam:
    case Rule::adamw:
      return 1e-3;
  }
  return 0;
}

Optimizer::Optimizer(const OptimizerOptions& options, Kernels& kernels, int64_t parameters)
    : options_(options), kernels_(kernels), first_(zeros(kernels, parameters)) {
  if (has_second_moment(options.rule)) second_ = zeros(kernels, parameters);
  if (options.rule == Rule::sgd) options_.momentum = 0;
  if (options.differences) change_ = zeros(kernels, parameters);
}

kernels::AdamStep Optimizer::adam() const {
  // RMSProp (Tieleman, Hinton: Coursera, lecture 6.5, 2012) is Adam whose first moment is the
  // gradient itself, with the second one as it stands.
  if (options_.rule == Rule::rmsprop)
    return {
        .learning_rate = options_.learning_rate, .beta1 = 0, .beta2 = 0.99, .step = uncorrected};
  return {.learning_rate = options_.learning_rate,
          .decoupled_decay = options_.rule == Rule::adamw ? options_.decay : 0,
          .step = steps_};
}

void Optimizer::step(const Tensor& gradient, const Tensor& weights) {
  ++steps_;
  if (!options_.differences) return update(gradient, weights);
  kernels_.zero(change_);
  kernels_.add(1 / options_.learning_rate, weights, change_);
  update(gradient, weights);
  kernels_.add(-1 / options_.learning_rate, weights, change_);
}

void Optimizer::update(const Tensor& gradient, const Tensor& weights) {
  if (has_second_moment(options_.rule))
    return kernels_.adam_step(adam(), gradient, first_, second_, weights);
  const double rate = options_.learning_rate, m = options_.momentum;
  if (options_.spike_delay == 0) return kernels_.momentum_step(rate, m, gradient, first_, weights);
  const double left = std::pow(m, options_.spike_delay);
  kernels_.momentum_step(rate * left, m, gradient, first_, weights);
  kernels_.add(-rate * (1 - left) / (1 - m), gradient, weights);
}

Array Optimizer::direction() const {
  Array to = kernels_.array(1, first_.tensor.columns);
  if (options_.differences)
    kernels_.copy(change_, to);
  else if (has_second_moment(options_.rule) && steps_ > 0)
    kernels_.adam_direction(adam(), first_, second_, to);
  else
    kernels_.copy(first_, to);
  return to;
}

}  // namespace pipewright::train
