#include "search/planner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "search/registry.hpp"
#include "study/clock.hpp"

namespace pipewright::search {
namespace {

const Planner& named(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Planner* planner : planners()) {
    if (planner->name == name) return *planner;
    known.push_back(planner->name);
  }
  throw InputError(fmt::format("unknown planner '{}'{}; one of {} or all", name,
                               did_you_mean(name, known), join(known)));
}

Proposal propose(const Planner& planner, const Problem& problem) {
  const ClockTime begin = now();
  Proposal proposal;
  try {
    proposal = planner.propose(problem);
  } catch (const Misfit& misfit) {
    proposal.reason = misfit.message();
  }
  if (proposal.plan.empty() && proposal.reason.empty())
    proposal.reason = "no plan of its kind can be";
  proposal.planner = std::string(planner.name);
  proposal.search_s = seconds_since(begin);
  return proposal;
}

PlanResult ask(const Problem& problem, const std::vector<const Planner*>& chosen) {
  PlanResult result;
  for (const Planner* planner : chosen) {
    result.proposals.push_back(propose(*planner, problem));
    const size_t last = result.proposals.size() - 1;
    if (!result.proposals[last].satisfies) continue;
    if (!result.best || better(problem, result.proposals[last], result.proposals[*result.best]))
      result.best = last;
  }
  return result;
}

/// 1, 2, 3, 4, 6, 8, 12, ... and the last.
std::vector<int> sizes_up_to(int nodes) {
  std::vector<int> sizes;
  for (int n = 1; n < nodes; n *= 2) {
    sizes.push_back(n);
    if (n > 1 && n / 2 * 3 < nodes) sizes.push_back(n / 2 * 3);
  }
  sizes.push_back(nodes);
  return sizes;
}

/// The smallest cluster on which something satisfies every limit; the whole one where none does.
PlanResult fewest_nodes(const Problem& problem, const std::vector<const Planner*>& chosen) {
  Problem smaller = problem;
  config::Value* cluster = smaller.experiment.find("cluster");
  *cluster = problem.catalogue.resolve("clusters", *cluster);
  if (!cluster->find("nodes"))
    cluster->fail("fewer nodes can only be tried of a cluster of one kind of nodes");
  PlanResult result;
  for (const int nodes : sizes_up_to(given_by(problem).nodes)) {
    cluster->set("nodes", config::number(nodes));
    result = ask(smaller, chosen);
    if (result.best) break;
  }
  return result;
}

}  // namespace

std::span<const Planner* const> planners() { return all_planners; }

PlanResult plan(const Problem& problem, const std::vector<std::string>& names) {
  std::vector<const Planner*> chosen;
  for (const std::string& name : names) chosen.push_back(&named(name));
  if (names.empty()) chosen.assign(planners().begin(), planners().end());
  given_by(problem);  // what is wrong in itself is told before anything is searched
  return problem.goal == Goal::nodes ? fewest_nodes(problem, chosen) : ask(problem, chosen);
}

}  // namespace pipewright::search
