// Recipes of Megatron Bridge that a program may call where their files are not beside it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pipewright::megatron_bridge {

/// Returns a module in Python that has the recipes of the file `path`, as far as they decide the
/// time of a step; nothing where they are not known.
std::optional<std::string> packaged_recipes(std::string_view path);

}  // namespace pipewright::megatron_bridge
