// Low-rank adapters of Megatron Bridge's recipes.
#pragma once

#include "convert/job/settings.hpp"

namespace pipewright::megatron_bridge {

/// Returns the experiment's `adapters` that the section 'peft' says, or null where there is none.
/// Those beside some products alone are taken to stand beside all, which is noted. What cannot be
/// said is refused.
config::Value read_adapters(job::Settings& settings);

/// Sets `adapters`, where there are any, in what was imported. Experts have some where there are
/// experts.
void set_adapters(config::Value adapters, job::Import& import);

}  // namespace pipewright::megatron_bridge
