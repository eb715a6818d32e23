#include <cmath>

#include "kernels/cpu/backend.hpp"
#include "kernels/cpu/maps.hpp"

namespace pipewright::kernels::cpu {
namespace {

/// Factors that undo the moments' bias towards zero.
struct Correction {
  float first, second;

  explicit Correction(const AdamStep& step)
      : first(static_cast<float>(1 / (1 - std::pow(step.beta1, step.step)))),
        second(static_cast<float>(1 / (1 - std::pow(step.beta2, step.step)))) {}
};

auto direction(const AdamStep& step, const Tensor& first, const Tensor& second) {
  const Correction correction(step);
  return (map(first).array() * correction.first /
          ((map(second).array() * correction.second).sqrt() + static_cast<float>(step.epsilon)))
      .eval();
}

}  // namespace

void Optimizers::momentum_step(double learning_rate, double momentum, const Tensor& gradient,
                               const Tensor& velocity, const Tensor& weights) {
  map(velocity) = static_cast<float>(momentum) * map(velocity) + map(gradient);
  map(weights) -= static_cast<float>(learning_rate) * map(velocity);
}

void Optimizers::adam_step(const AdamStep& step, const Tensor& gradient, const Tensor& first,
                           const Tensor& second, const Tensor& weights) {
  const auto g = map(gradient).array();
  const auto beta1 = static_cast<float>(step.beta1), beta2 = static_cast<float>(step.beta2);
  map(first).array() = beta1 * map(first).array() + (1 - beta1) * g;
  map(second).array() = beta2 * map(second).array() + (1 - beta2) * g.square();
  if (step.decoupled_decay != 0)
    map(weights) *= static_cast<float>(1 - step.learning_rate * step.decoupled_decay);
  map(weights).array() -= static_cast<float>(step.learning_rate) * direction(step, first, second);
}

void Optimizers::adam_direction(const AdamStep& step, const Tensor& first, const Tensor& second,
                                const Tensor& to) {
  map(to) = direction(step, first, second).matrix();
}

}  // namespace pipewright::kernels::cpu
