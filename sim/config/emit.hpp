// Values as YAML text.
#pragma once

#include <string>

#include "config/value.hpp"

namespace pipewright::config {

/// A document in block style that parse() reads back to the same value.
std::string to_yaml(const Value& value);

}  // namespace pipewright::config
