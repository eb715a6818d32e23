// Tells whether a planner's frontier holds what the others propose, all as simulated.
#pragma once

#include "result/reproduction.hpp"
#include "search/problem.hpp"

namespace pipewright::search {

/// Returns, for each planner that has an answer, the nearest point of `planner`'s simulated
/// frontier, as the smaller of how many times as quick and how many times as small as the answer it
/// is: 1 and more where the frontier holds the answer. Throws InputError for a planner without a
/// frontier.
std::vector<ClaimCase> frontier_against_all(const Problem& problem, const std::string& planner);

}  // namespace pipewright::search
