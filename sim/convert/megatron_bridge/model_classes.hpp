// Classes of Megatron Bridge whose sizes are those of a model in the catalogue.
#pragma once

#include <string_view>

namespace pipewright::megatron_bridge {

/// Returns the catalogue's name for a class; empty where it has none.
std::string_view model_of_class(std::string_view name);

}  // namespace pipewright::megatron_bridge
