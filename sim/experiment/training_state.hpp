// Who trains, and by which rule weights are updated.
#pragma once

#include "config/value.hpp"

namespace pipewright {

enum class Optimizer : uint8_t { adam, adamw, sgd, momentum, lamb, adafactor, rmsprop };
Optimizer read_optimizer(const config::Value& value);

/// Whose habits memory follows where they differ; see memory.cpp.
enum class Framework : uint8_t { megatron, deepspeed, deepspeed_0_5, deepspeed_0_4 };
Framework read_framework(const config::Value& value);

/// Whether a stage keeps what it has sent until its backward pass.
inline bool keeps_outputs(Framework framework) { return framework != Framework::megatron; }

}  // namespace pipewright
