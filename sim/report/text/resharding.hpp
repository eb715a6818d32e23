// Strategies of a cross-mesh resharding side by side, as text, as JSON (pipewright.reshard/1) and
// as CSV, a line a strategy.
#pragma once

#include <string>

#include "network/resharding/plan.hpp"

namespace pipewright {

std::string resharding_text(const resharding::Comparison& all, const std::string& what);
std::string resharding_json(const resharding::Comparison& all, const std::string& what);
std::string resharding_csv(const resharding::Comparison& all, const std::string& what);

}  // namespace pipewright
