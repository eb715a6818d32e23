// What ${...} stands for.
#pragma once

#include "interop/shell/expander.hpp"

namespace pipewright::shell {

/// Returns whether a parameter stands for several words: $@, ${LIST[@]}.
bool is_list(const Parameter& parameter);

/// Returns the words that the list of `part` stands for.
std::vector<Text> list_of(const Part& part, Expander& expander);

/// Returns the text that `part`, which is no list, stands for.
Text value_of(const Part& part, Expander& expander);

}  // namespace pipewright::shell
