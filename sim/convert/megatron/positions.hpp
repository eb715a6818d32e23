// Arguments of a script of Bash: $1, ${2} and so on.
#pragma once

#include <string>
#include <string_view>

#include "config/value.hpp"

namespace pipewright::megatron {

/// Returns the last $N or ${N} that `script` has, or 0.
int last_position(std::string_view script);

/// Returns the words of Bash for the arguments behind the first `taken`.
std::string positions_behind(int taken);

/// Returns a line of comment that says how many arguments the script takes; empty for none.
std::string positions_remark(int taken);

/// Returns what goes along without values that are arguments of a script, which a file of YAML
/// does not take.
config::Value without_positions(const config::Value& along);

}  // namespace pipewright::megatron
