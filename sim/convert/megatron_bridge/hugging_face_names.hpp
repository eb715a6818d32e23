// Models of the catalogue by their names at Hugging Face.
#pragma once

#include <string_view>

namespace pipewright::megatron_bridge {

/// Returns the name in the catalogue of "meta-llama/Meta-Llama-3-8B"; empty where there is none.
std::string_view model_named(std::string_view name);

}  // namespace pipewright::megatron_bridge
