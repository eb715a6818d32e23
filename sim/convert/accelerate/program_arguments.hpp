// What the program that accelerate launch starts is told itself.
#pragma once

#include <string>
#include <string_view>

namespace pipewright::accelerate {

/// Returns what an argument of a program is read as, such as max_seq_length for --max_length; empty
/// for one that is not read.
std::string_view read_as(std::string_view argument);

/// Returns why an argument of a program with this value matters and cannot be said; empty for
/// others.
std::string_view refusal_of(std::string_view argument, const std::string& value);

}  // namespace pipewright::accelerate
