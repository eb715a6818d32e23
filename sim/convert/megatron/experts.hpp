// The experts of a mixture as Megatron-LM's arguments say them.
#pragma once

#include "convert/megatron/flags.hpp"

namespace pipewright::megatron {

/// Sets `experts` of the transformer `t`, and `feeds` where no rule of experts says which of the
/// `layers` have some. `ffn` is the width of a dense layer.
void read_experts(Flags& flags, int64_t layers, int64_t ffn, config::Value& t);

}  // namespace pipewright::megatron
