// What planners proposed.
#pragma once

#include <string>

#include "report/text/report.hpp"
#include "result/proposal.hpp"

namespace pipewright {

/// The report has a line for each proposal: what it is, the planner's own estimate, what simulating
/// it gave. Then it says which to take, or what comes nearest.
Report plan_report(const PlanResult& result);

/// The advice is the last line of plan_report(), with its newline.
std::string plan_advice(const PlanResult& result);

}  // namespace pipewright
