// Megatron Bridge's recipes of mixed precision by name.
#pragma once

#include <string>
#include <vector>

#include "convert/job/launch.hpp"

namespace pipewright::megatron_bridge {

/// Adds what the recipe `name` sets as arguments of Megatron-LM that stand at `path`. Returns false
/// for a name that is not known.
bool add_precision(const std::string& name, const std::string& path, const Where& where,
                   std::vector<job::Word>& words);

}  // namespace pipewright::megatron_bridge
