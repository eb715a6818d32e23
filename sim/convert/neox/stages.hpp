// Stages of GPT-NeoX's pipeline, which DeepSpeed cuts.
#pragma once

#include <vector>

#include "convert/job/launch.hpp"
#include "convert/job/settings.hpp"

namespace pipewright::neox {

/// Adds a layout to `words` where the stages do not have the same number of layers.
void add_stages(job::Settings& settings, const job::Source& source, std::vector<job::Word>& words);

}  // namespace pipewright::neox
