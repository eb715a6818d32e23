// Which of several plans to take that are as good as equally fast: the one that leaves most memory.
#pragma once

#include <vector>

#include "search/problem.hpp"

namespace pipewright::search {

/// Returns how many times as long a plan may take as another for both to be as fast: repeats of one
/// run differ by more.
double as_fast();

/// Puts those of `plans` that are as fast in the order of their memory, the least first. A plan
/// that only runs more again than another stays behind it. `plans` begin with the best; where they
/// are not asked for by their time they stay as they are.
void leanest_first(const Problem& problem, std::vector<Proposal>& plans);

/// Makes the first of leanest_first() of `fastest` and its runners-up the proposal, and the others
/// its runners-up.
void choose_leanest(const Problem& problem, Proposal& fastest);

/// Makes the first of leanest_first() of all proposals the best.
void choose_leanest(const Problem& problem, PlanResult& result);

}  // namespace pipewright::search
