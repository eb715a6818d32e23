// What planners proposed, for a terminal.
#pragma once

#include <string>

#include "result/proposal.hpp"

namespace pipewright {

/// The text has a line for each proposal: what it is, the planner's own estimate, what simulating
/// it gave. Then it says which to take, or what comes nearest.
std::string plan_text(const PlanResult& result);

/// The advice is the last line of plan_text(), with its newline.
std::string plan_advice(const PlanResult& result);

}  // namespace pipewright
