// Recipes of NeMo 2 that a program may call where their files are not beside it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pipewright::nemo {

/// Returns a module in Python whose pretrain_recipe is what NeMo's "llama3_8b" gives, as far as it
/// decides the time of a step; nothing where that is not known.
std::optional<std::string> packaged_recipe(std::string_view name);

}  // namespace pipewright::nemo
