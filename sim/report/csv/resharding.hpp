// The strategies of a cross-mesh resharding as CSV.
#pragma once

#include <string>

#include "network/resharding/plan.hpp"

namespace pipewright {

/// The file has a header and one line a strategy, with bytes and seconds. `what` is the resharding
/// as the user wrote it.
std::string resharding_csv(const resharding::Comparison& all, const std::string& what);

}  // namespace pipewright
