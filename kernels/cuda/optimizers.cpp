#include "kernels/cuda/backend.hpp"

#include <cmath>

#include "kernels/cuda/launch.hpp"

namespace pipewright::kernels::cuda {
namespace {

AdamFactors factors_of(const AdamStep& step) {
  return {.learning_rate = static_cast<float>(step.learning_rate),
          .beta1 = static_cast<float>(step.beta1),
          .beta2 = static_cast<float>(step.beta2),
          .epsilon = static_cast<float>(step.epsilon),
          .keep = static_cast<float>(1 - step.learning_rate * step.decoupled_decay),
          .correct_first =
              static_cast<float>(1 / (1 - std::pow(step.beta1, static_cast<double>(step.step)))),
          .correct_second =
              static_cast<float>(1 / (1 - std::pow(step.beta2, static_cast<double>(step.step))))};
}

}  // namespace

void Optimizers::momentum_step(double learning_rate, double momentum, const Tensor& gradient,
                               const Tensor& velocity, const Tensor& weights) {
  cuda::momentum_step(streams_.stream(), static_cast<float>(learning_rate),
                      static_cast<float>(momentum), gradient, velocity, weights);
}

void Optimizers::adam_step(const AdamStep& step, const Tensor& gradient, const Tensor& first,
                           const Tensor& second, const Tensor& weights) {
  cuda::adam_step(streams_.stream(), factors_of(step), gradient, first, second, weights);
}

void Optimizers::adam_direction(const AdamStep& step, const Tensor& first, const Tensor& second,
                                const Tensor& to) {
  cuda::adam_direction(streams_.stream(), factors_of(step), first, second, to);
}

}  // namespace pipewright::kernels::cuda
