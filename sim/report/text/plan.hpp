// What planners proposed, as text, JSON and CSV.
#pragma once

#include <ostream>
#include <string>

#include "result/proposal.hpp"

namespace pipewright {

/// A line for each proposal: what it is, the planner's own estimate, what simulating it gave. Then
/// which to take, or what comes nearest.
std::string plan_text(const PlanResult& result);
/// The schema pipewright.plan/1.
std::string json_text(const PlanResult& result);
/// One header, one line a proposal; search times are left out.
std::string csv_text(const PlanResult& result);
/// One page: which to take, time and memory of all, what each planner said, the best to copy.
void write_html(const PlanResult& result, std::ostream& out);

}  // namespace pipewright
