// What ${...} stands for.
#pragma once

#include "interop/shell/expander.hpp"

namespace pipewright::shell {

/// Returns whether a parameter stands for several words: $@, ${LIST[@]}.
bool is_list(const Parameter& parameter);

/// Returns the words that the list of `part` stands for.
std::vector<Text> list_of(const Part& part, Expander& expander);

/// Returns whether the words of a list are one: "$*", "${LIST[*]}".
bool is_one_word(const Part& part);

/// Joins words by the first character of IFS, a blank unless it is set.
Text joined(const std::vector<Text>& words, const Place& place, Environment& environment);

/// Returns the text that `part`, which is no list, stands for.
Text value_of(const Part& part, Expander& expander);

}  // namespace pipewright::shell
