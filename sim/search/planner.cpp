#include "search/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "cost/roofline.hpp"
#include "machine/machine_cache.hpp"
#include "search/fewer_nodes.hpp"
#include "search/known_runs.hpp"
#include "search/lean_choice.hpp"
#include "search/pools.hpp"
#include "search/registry.hpp"
#include "search/space.hpp"
#include "topology/cluster/cluster.hpp"

namespace pipewright::search {
namespace {

const Planner& named(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Planner* planner : planners()) {
    if (planner->name == name) return *planner;
    known.push_back(planner->name);
  }
  throw InputError(fmt::format("unknown planner '{}'; one of {} or all{}", name, join(known),
                               did_you_mean(name, known)));
}

Proposal proposed_on(const Planner& planner, const Problem& problem) {
  try {
    return planner.propose(problem);
  } catch (const Misfit& misfit) {
    return {.reason = misfit.message()};
  }
}

Proposal propose(const Planner& planner, const Problem& problem) {
  const ClockTime begin = now();
  Proposal proposal;
  std::vector<std::vector<int32_t>> all = pools(problem);
  // The few first: what they reach spares most of the work on many.
  std::ranges::stable_sort(all, {}, [](const std::vector<int32_t>& pool) {
    return pool.empty() ? std::numeric_limits<size_t>::max() : pool.size();
  });
  for (std::vector<int32_t>& pool : all) {
    Problem on_pool = problem;
    on_pool.pool = std::move(pool);
    if (problem.keep == 1 && problem.goal == Goal::time && proposal.satisfies) {
      on_pool.reached = proposal.iteration_time_s;
      // Pools of several kinds are slow to simulate and seldom better.
      if (!given_by(on_pool).alike) on_pool.simulations = std::max(1, problem.simulations / 4);
    }
    Proposal one = proposed_on(planner, on_pool);
    const bool is_first = proposal.plan.empty() && proposal.reason.empty();
    if (is_first ||
        (!one.plan.empty() && (proposal.plan.empty() || better(problem, one, proposal))))
      proposal = std::move(one);
  }
  if (proposal.plan.empty() && proposal.reason.empty())
    proposal.reason = "no plan of its kind can be";
  choose_leanest(problem, proposal);
  proposal.planner = std::string(planner.name);
  proposal.findings.search_s = seconds_since(begin);
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
  choose_leanest(problem, result);
  return result;
}

/// Returns all that planners kept, the best first and each plan once.
std::vector<Proposal> in_order(const Problem& problem, const std::vector<Proposal>& proposals) {
  std::vector<Proposal> all;
  for (const Proposal& proposal : proposals) {
    if (proposal.satisfies) all.push_back(proposal);
    for (Proposal next : proposal.runners_up) {
      next.planner = proposal.planner;
      all.push_back(std::move(next));
    }
  }
  std::ranges::stable_sort(
      all, [&](const Proposal& a, const Proposal& b) { return better(problem, a, b); });
  std::set<std::string> seen;
  std::erase_if(all, [&](const Proposal& one) { return !seen.insert(one.plan).second; });
  leanest_first(problem, all);
  return all;
}

/// Keeps as many plans beside the proposals as were asked for.
void keep_asked(const Problem& problem, PlanResult& result) {
  const auto most = static_cast<size_t>(problem.keep);
  if (most > 1) result.top = in_order(problem, result.proposals);
  if (result.top.size() > most) result.top.resize(most);
  for (Proposal& one : result.proposals)
    if (one.runners_up.size() >= most) one.runners_up.resize(most - 1);
}

/// Throws InputError, before anything is searched, where a cost is asked for and devices have no
/// price.
void check_price(const Problem& problem) {
  const bool asks = problem.goal == Goal::cost ||
                    std::ranges::count(problem.limits, "cost", &Limit::quantity) > 0;
  if (!asks) return;
  const config::Value& cluster = *problem.experiment.find("cluster");
  const Cluster read = read_cluster(cluster, problem.catalogue);
  const auto has_price = [](const Device& type) { return type.operating.price_per_hour > 0; };
  const auto is_rented = [](const ClusterNode& node) { return node.price_per_hour > 0; };
  if (read.device_types.empty() || std::ranges::any_of(read.device_types, has_price) ||
      std::ranges::any_of(read.nodes, is_rented))
    return;
  const char* part = cluster.is_map() && cluster.find("device") ? "device" : "node";
  cluster.fail(fmt::format(
      "a cost needs a price_per_hour: the device '{}' has none, and neither has its node; "
      "--set cluster.{}.price_per_hour=98 gives one, in US dollars",
      read.device_types.front().name, part));
}

/// Returns candidates from all over the space that can be, whether or not they fit.
std::vector<Estimated> samples(const Problem& problem) {
  constexpr size_t most = 64;
  const std::vector<Candidate> all = whole_space(problem);
  std::vector<Candidate> some;
  for (size_t i = 0; i < all.size(); i += std::max<size_t>(1, all.size() / most))
    some.push_back(all[i]);
  return leanest(problem, some, some.size());
}

/// Throws InputError, before anything is searched, where what the plan is wanted for refuses all
/// that is tried: what the experiment gives stands against it. The reason is the most frequent.
void check_refusals(const Problem& problem) {
  if (!problem.refusal) return;
  std::map<std::string, int> reasons;
  for (const Estimated& one : samples(problem)) {
    const auto why = problem.refusal(experiment_of(problem, one.candidate));
    if (!why) return;
    ++reasons[*why];
  }
  const auto most =
      std::ranges::max_element(reasons, {}, [](const auto& reason) { return reason.second; });
  if (most != reasons.end())
    throw InputError(fmt::format("no plan can be written: {}", most->first));
}

/// Throws InputError where no device of the cluster computes in the precision that is asked for: no
/// plan can then.
void check_precision(const Problem& problem, const Cluster& cluster) {
  const Experiment experiment = read_experiment(resolve(problem.experiment, problem.catalogue));
  std::optional<InputError> why;
  for (const Device& device : cluster.device_types) {
    try {
      peak_for(device, experiment.precision);
      return;
    } catch (const InputError& error) {
      why = error;
    }
  }
  if (why) throw InputError(experiment.at("cluster").mark.where(), why->message());
}

/// Throws InputError where a time to train is limited and no tokens are to be trained.
void check_tokens(const Problem& problem) {
  const bool asks = std::ranges::count(problem.limits, "time_to_train", &Limit::quantity) > 0;
  if (asks && !problem.experiment.find("training"))
    problem.experiment.fail(
        "a limit of time_to_train needs the tokens of the training, such as "
        "--set training.tokens=1T");
}

/// Asks planners for plans on the clusters that the goal allows.
PlanResult asked_of_clusters(const Problem& problem, const std::vector<const Planner*>& chosen) {
  const Ask ask_chosen = [&](const Problem& smaller) { return ask(smaller, chosen); };
  const Askers askers{.slices = std::ranges::any_of(chosen, &Planner::slices),
                      .spares = std::ranges::all_of(chosen, &Planner::spares)};
  switch (problem.goal) {
    case Goal::time:
      return quickest_within(problem, ask_chosen, askers);
    case Goal::nodes:
      return fewest_nodes(problem, ask_chosen, askers);
    case Goal::cost:
      return least_cost(problem, ask_chosen, askers);
  }
  return {};
}

}  // namespace

std::span<const Planner* const> planners() { return all_planners; }

PlanResult plan(const Problem& asked, const std::vector<std::string>& names) {
  Problem problem = asked;
  problem.run.machines = std::make_shared<MachineCache>();
  problem.known_runs = std::make_shared<KnownRuns>();
  std::vector<const Planner*> chosen;
  for (const std::string& name : names) chosen.push_back(&named(name));
  if (names.empty()) chosen.assign(planners().begin(), planners().end());
  begin_step("plans simulated");
  problem.progress = progress_of_thread();
  given_by(problem);  // what is wrong in itself is told before anything is searched
  check_price(problem);
  check_tokens(problem);
  check_refusals(problem);
  const Cluster cluster = read_cluster(*problem.experiment.find("cluster"), problem.catalogue);
  check_precision(problem, cluster);
  if (cluster.nodes.front().type != "device") problem.node_of = cluster.node_of;
  PlanResult result = asked_of_clusters(problem, chosen);
  result.devices = cluster.devices();
  result.pinned = problem.pinned;
  result.habits = problem.habits;
  keep_asked(problem, result);
  return result;
}

}  // namespace pipewright::search
