// The configurations of GPT-NeoX (YAML): DeepSpeed's keys, and a model in Megatron-LM's words.
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::neox {

/// Tells whether `text` is one: it says degrees or sizes as GPT-NeoX calls them.
bool is_config(std::string_view text);

job::Import import_config(const job::Source& source);

}  // namespace pipewright::neox
