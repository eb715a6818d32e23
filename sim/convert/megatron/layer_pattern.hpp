// Layers by a Python expression: "([0]*3+[1]*58)".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace pipewright::megatron {

/// Returns the list that sums, parentheses and repetitions of lists make; nothing for another
/// expression, and for lists of more than 65,536 layers.
std::optional<std::vector<int>> read_layer_pattern(std::string_view text);

}  // namespace pipewright::megatron
