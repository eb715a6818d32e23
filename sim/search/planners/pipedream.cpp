// PipeDream's hierarchical dynamic program (SOSP 2019, section 3.1).
//
// Assumption: no tensor parallelism; a stage is replicated over r devices that take micro-batches
// in
//   turn and reduce gradients after each; messages and reductions overlap with compute; on a
//   machine of levels (devices of a node, nodes) a level sees only its own bandwidth.
// Recurrence (search/hierarchy.cpp): A^k(i,j,m) = min(T^k(i,j,m), min over s, m' of
//   max(A^k(i,s,m-m'), 2 a_s / B_k, T^k(s+1,j,m'))), T^k(i,j,m) = 1/m max(A^(k-1)(i,j,m_(k-1)),
//   2 (m-1) |w_i..j| / B_k); A is the time of a micro-batch in the steady state.
// Estimate: A times the micro-batches of an iteration, for all micro-batches of powers of two.
// Mapping: here a stage's replicas split every micro-batch where PipeDream's take them in turn, so
//   micro-batches are as large as makes each replica's part `micro` sequences or more. Replicas
//   that are not alike stand in `strategy`, on consecutive devices. Where the optimum does not fit
//   the batch or the memory, plain pipelines, balanced, are simulated beside it.
// Limits: the program knows no memory; what does not fit falls out when simulated. The plan is
//   asynchronous: weights are stashed, gradients up to p - 1 micro-batches late.
#include <algorithm>
#include <numeric>

#include "search/chain.hpp"
#include "search/hierarchy.hpp"
#include "search/registry.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

/// Links times links times components squared that take seconds.
constexpr double most_work = 2e9;

double bandwidth_between(const Chain& chain, int32_t from, int32_t to) {
  constexpr Bytes probe = 64 * MiB;
  const Time moving = chain.prices.transfer(from, to, probe) - chain.prices.transfer(from, to, {});
  return static_cast<double>(probe.count) / std::max(in_seconds(moving), 1e-12);
}

std::vector<Level> levels_of(const Given& given, const Chain& chain) {
  std::vector<Level> levels;
  const int inner = given.devices_per_node;
  if (inner > 1 || given.devices == 1)
    levels.push_back({inner, inner > 1 ? bandwidth_between(chain, 0, 1) : 1});
  if (given.nodes > 1)
    levels.push_back({given.devices / inner, bandwidth_between(chain, 0, inner)});
  return levels;
}

std::vector<LinkCost> costs_of(const Chain& chain) {
  std::vector<LinkCost> costs;
  for (const Link& link : chain.links)
    costs.push_back({in_seconds(link.both()), static_cast<double>(link.gradients.count),
                     static_cast<double>(link.output.count)});
  return costs;
}

bool replicated_alike(const HierarchicalPlan& plan) {
  return std::ranges::all_of(plan.stages, [&](const ReplicatedStage& stage) {
    return stage.devices.size() == plan.stages.front().devices.size();
  });
}

bool consecutive(const std::vector<int32_t>& devices) {
  return devices.back() - devices.front() + 1 == static_cast<int32_t>(devices.size()) &&
         std::ranges::is_sorted(devices);
}

Candidate alike(const HierarchicalPlan& plan, int micro) {
  Candidate c{.pipeline = static_cast<int>(plan.stages.size()),
              .data = static_cast<int>(plan.stages.front().devices.size()),
              .micro = micro,
              .schedule = schedule_named("pipedream")};
  for (const ReplicatedStage& stage : plan.stages) {
    c.layers.push_back(stage.last - stage.first + 1);
    c.placement.insert(c.placement.end(), stage.devices.begin(), stage.devices.end());
  }
  if (std::ranges::is_sorted(c.placement)) c.placement.clear();
  return c;
}

/// Nothing where a stage's devices are not consecutive.
std::optional<Candidate> candidate_of(const HierarchicalPlan& plan, int micro) {
  if (replicated_alike(plan)) return alike(plan, micro);
  Candidate c{.pipeline = static_cast<int>(plan.stages.size()),
              .schedule = schedule_named("pipedream")};
  int parts = 1;
  for (const ReplicatedStage& stage : plan.stages) {
    if (!consecutive(stage.devices)) return std::nullopt;
    const auto replicas = static_cast<int>(stage.devices.size());
    c.stages.push_back({stage.last - stage.first + 1, stage.devices.front(), 1, replicas});
    c.data = std::max(c.data, replicas);
    parts = std::lcm(parts, replicas);
  }
  c.micro = micro * (parts / c.data);
  return c;
}

struct Found {
  HierarchicalPlan plan;
  int micro = 1;
  double iteration_s = 0;
};

std::vector<Found> optima(const Problem& problem, const Given& given) {
  std::vector<Found> all;
  for (int micro = 1; micro <= given.global && micro <= 64; micro *= 2) {
    if (given.global % micro != 0) continue;
    const Chain chain = chain_of(
        problem, {.data = given.devices, .micro = micro, .schedule = schedule_named("1f1b")});
    const auto n = static_cast<double>(chain.links.size());
    if (n * n * given.nodes * given.nodes > most_work)
      throw Misfit("its dynamic program would take hours for so many layers and nodes");
    Found found{hierarchical_pipeline(costs_of(chain), levels_of(given, chain)), micro};
    found.iteration_s = found.plan.bottleneck * static_cast<double>(given.global / micro);
    all.push_back(std::move(found));
  }
  std::ranges::stable_sort(all, {}, &Found::iteration_s);
  return all;
}

Proposal propose(const Problem& problem) {
  const Given given = given_by(problem);
  const std::vector<Found> all = optima(problem, given);
  std::vector<Estimated> possible;
  for (const Found& found : all) {
    const std::optional<Candidate> candidate = candidate_of(found.plan, found.micro);
    if (!candidate || given.global % (int64_t{candidate->data} * candidate->micro) != 0) continue;
    for (Estimated& one : estimated(problem, {*candidate}))
      possible.push_back({std::move(one.candidate), seconds(found.iteration_s), one.held});
  }
  Proposal best;
  if (!possible.empty())
    best = best_of(problem, possible, static_cast<size_t>(problem.simulations));
  if (!best.satisfies) {
    std::vector<Candidate> plain = pipelines(problem, {schedule_named("pipedream")}, {"none"});
    for (Candidate& c : plain) {
      c.split = split_of(problem, Split::balanced);
      c.zero = 0;
    }
    std::vector<Estimated> ordered = estimated(problem, plain);
    std::ranges::stable_sort(ordered, {}, &Estimated::estimate);
    Proposal second = best_of(problem, ordered, static_cast<size_t>(problem.simulations));
    if (best.plan.empty() || better(problem, second, best)) best = std::move(second);
  }
  return best;
}

}  // namespace

const Planner planner::pipedream{"pipedream", "hierarchical dynamic program, replicated stages",
                                 propose};

}  // namespace pipewright::search
