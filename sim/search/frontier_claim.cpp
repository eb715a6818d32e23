#include "search/frontier_claim.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "search/planner.hpp"

namespace pipewright::search {
namespace {

ClaimCase against(const Proposal& answer, const std::vector<TimeAndMemory>& frontier) {
  ClaimCase nearest{.name = answer.planner,
                    .system = {},
                    .baseline = answer.plan,
                    .system_value = {},
                    .baseline_value = answer.iteration_time_s,
                    .ratio = {},
                    .reason = {}};
  for (const TimeAndMemory& point : frontier) {
    const double ratio = std::min(*answer.iteration_time_s / point.time_s,
                                  answer.peak_memory_bytes / point.memory_bytes);
    if (nearest.ratio && ratio <= *nearest.ratio) continue;
    nearest.ratio = ratio;
    nearest.system = point.plan;
    nearest.system_value = point.time_s;
  }
  return nearest;
}

}  // namespace

std::vector<ClaimCase> frontier_against_all(const Problem& problem, const std::string& planner) {
  const PlanResult all = plan(problem, {});
  const auto tracked = std::ranges::find(all.proposals, planner, &Proposal::planner);
  if (tracked == all.proposals.end() || tracked->findings.simulated_frontier.empty())
    throw InputError(fmt::format("'{}' is no planner that looks for a frontier", planner));
  std::vector<ClaimCase> cases;
  for (const Proposal& proposal : all.proposals)
    // A frontier of synchronous plans does not hold what trains on late gradients.
    if (proposal.planner != planner && proposal.satisfies && proposal.synchronous)
      cases.push_back(against(proposal, tracked->findings.simulated_frontier));
  return cases;
}

}  // namespace pipewright::search
