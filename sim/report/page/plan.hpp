// What planners proposed, as a page.
#pragma once

#include <ostream>

#include "result/proposal.hpp"

namespace pipewright {

/// This writes a page: which plan to take, time and memory of all, what each planner said, the best
/// to copy.
void write_html(const PlanResult& result, std::ostream& out);

}  // namespace pipewright
