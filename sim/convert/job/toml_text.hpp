// Documents as TOML text. The inverse of toml.hpp.
#pragma once

#include <string>

#include "config/value.hpp"

namespace pipewright::job {

/// Returns a section for each map that has values of its own. A scalar that is not quoted goes out
/// as it stands where TOML has such a value, and else as a text.
std::string to_toml(const config::Value& document);

}  // namespace pipewright::job
