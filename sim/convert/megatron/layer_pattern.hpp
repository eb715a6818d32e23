// Layers by a Python expression: "([0]*3+[1]*58)".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "config/value.hpp"

namespace pipewright::megatron {

/// The most layers that a list says.
inline constexpr int64_t most_layers = 65'536;

/// Returns the list that sums, parentheses and repetitions of lists make; nothing for another
/// expression, and for lists of more than `most_layers`.
std::optional<std::vector<int>> read_layer_pattern(std::string_view text);

/// Returns after how many layers a list begins again.
size_t period_of(const std::vector<int>& layers);

/// Returns a list that says what each layer has, by whether it is marked; a list that begins again
/// is short.
config::Value kinds_of(const std::vector<int>& layers, const char* marked, const char* others);

}  // namespace pipewright::megatron
