// What a Megatron-LM job runs again before the backward pass.
#pragma once

#include "convert/megatron/flags.hpp"

namespace pipewright::megatron {

/// Returns `recompute` as an experiment has it; null where nothing is run again. `given` is the
/// transformer that stands beside the job, or null.
config::Value read_recompute(Flags& flags, const config::Value& given = {});

/// Tells whether the model of these arguments, or the transformer that is given, has such a part:
/// moe, moe_act, shared_experts, mlp, mla_up_proj.
bool has_part(Flags& flags, const config::Value& given, std::string_view module);

}  // namespace pipewright::megatron
