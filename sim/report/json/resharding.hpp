// The strategies of a cross-mesh resharding as JSON, schema pipewright.reshard/1.
#pragma once

#include <string>

#include "network/resharding/plan.hpp"

namespace pipewright {

/// The document has every strategy with its time in seconds. `what` is the resharding as the user
/// wrote it. The text ends with a newline.
std::string resharding_json(const resharding::Comparison& all, const std::string& what);

}  // namespace pipewright
