// What a configuration of GPT-NeoX says of its model and degrees, as Megatron-LM's arguments.
#pragma once

#include <vector>

#include "convert/job/launch.hpp"
#include "convert/job/settings.hpp"

namespace pipewright::neox {

/// Returns the inner width of the MLP: `width` as the configuration has it, of a gated one what
/// keeps its parameters, rounded up to `multiple`.
int64_t inner_width(int64_t width, bool gated, int64_t multiple);

/// Uses the keys that say the model and the degrees, and returns them as arguments.
std::vector<job::Word> model_arguments(job::Settings& settings);

}  // namespace pipewright::neox
