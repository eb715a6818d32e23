// What programs of NeMo 2 import beside recipes, in Python of our own that sets the same.
#pragma once

#include <optional>
#include <string_view>

namespace pipewright::nemo {

/// Returns the text of a module of NeMo, such as "scripts/performance/helpers.py"; nothing for
/// others.
std::optional<std::string_view> packaged_helper(std::string_view path);

}  // namespace pipewright::nemo
