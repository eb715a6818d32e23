// Published claims and what comes out here as JSON, schema pipewright.reproduction/1.
#pragma once

#include <span>
#include <string>

#include "result/reproduction.hpp"

namespace pipewright {

/// The document has every publication with all of its claims and their cases. The text ends with a
/// newline.
std::string json_text(std::span<const Reproduction> papers);

}  // namespace pipewright
