#include "experiment/training_state.hpp"

namespace pipewright {

Optimizer read_optimizer(const config::Value& value) {
  return static_cast<Optimizer>(config::as_choice(
      value, {"adam", "adamw", "sgd", "momentum", "lamb", "adafactor", "rmsprop"}));
}

Framework read_framework(const config::Value& value) {
  return static_cast<Framework>(
      config::as_choice(value, {"megatron", "deepspeed", "deepspeed-0.5", "deepspeed-0.4"}));
}

}  // namespace pipewright
