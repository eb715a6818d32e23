// The strategies of a cross-mesh resharding side by side.
#pragma once

#include <string>

#include "network/resharding/plan.hpp"
#include "report/text/report.hpp"

namespace pipewright {

/// The table has a line for each strategy: its time, and the ratio of that to broadcast balanced by
/// order. `what` is the resharding as the user wrote it.
Report resharding_report(const resharding::Comparison& all, const std::string& what);

}  // namespace pipewright
