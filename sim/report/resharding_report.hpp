// Strategies of a cross-mesh resharding side by side, as text and as JSON (pipewright.reshard/1).
#pragma once

#include <string>

#include "network/resharding/plan.hpp"

namespace pipewright {

std::string resharding_text(const resharding::Comparison& all, const std::string& what);
std::string resharding_json(const resharding::Comparison& all, const std::string& what);

}  // namespace pipewright
