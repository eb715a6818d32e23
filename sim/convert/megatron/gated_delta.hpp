// Attention by the gated delta rule in some layers, as Megatron-Core's arguments say it
// (core/models/gpt/experimental_attention_variant_module_specs.py).
#pragma once

#include "convert/megatron/flags.hpp"

namespace pipewright::megatron {

/// Tells whether --experimental-attention-variant is this one.
bool asks_gated_delta(Flags& flags);

/// Returns its dimensions, those of Qwen3-Next where nobody says them (transformer_config.py).
config::Value gated_delta(Flags& flags);

/// Sets which of `layers` have it, and its dimensions.
void read_gated_delta(Flags& flags, int64_t layers, config::Value& transformer);

}  // namespace pipewright::megatron
