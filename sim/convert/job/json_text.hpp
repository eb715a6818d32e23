// Documents as JSON text.
#pragma once

#include <string>

#include "config/value.hpp"

namespace pipewright::job {

/// Returns the document as indented JSON. A scalar that is not quoted goes out as it stands where
/// JSON has such a value, and else as a text.
std::string to_json(const config::Value& document);

}  // namespace pipewright::job
