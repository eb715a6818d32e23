#include <fmt/format.h>

#include <algorithm>

#include "schedule/list_schedule.hpp"
#include "schedule/rules/generators.hpp"

namespace pipewright::schedule::rules {
namespace {

constexpr int64_t longest = 1'000'000'000;  // of a pass, in the list schedule's own units

/// F 1, B 2, I 1, W 1: the usual first guess.
int64_t usual_time(Pass pass) { return pass == Pass::backward ? 2 : 1; }

std::vector<int64_t> memory_caps(const Expression& cap, Context& context, int ranks) {
  std::vector<int64_t> caps;
  for (int i = 0; i < ranks; ++i) {
    context.set(variable::rank, i);
    caps.push_back(context.evaluate(cap, 1, INT64_MAX));
  }
  context.at(variable::rank).reset();
  return caps;
}

/// Returns a number of further activations on every rank with which the rules run: what a rank
/// holds without caps is enough.
int64_t missing_room(const ListPolicy& policy, const Schedule& schedule, Context& context) {
  const auto runs = [&](int64_t more) {
    context.grant_again();
    ListPolicy roomier = policy;
    for (int64_t& cap : roomier.most_held) cap = std::min(cap, longest) + more;
    Schedule tried = schedule;
    for (Order& order : tried.order) order.clear();
    return !list_schedule(tried, roomier);
  };
  int64_t most = 1;
  while (!runs(most)) most *= 2;
  int64_t least = most / 2;  // is not enough
  while (most - least > 1) {
    const int64_t middle = least + (most - least) / 2;
    (runs(middle) ? most : least) = middle;
  }
  return most;
}

}  // namespace

void run_priorities(const Priorities& rules, Context& context, const Layout& layout,
                    Schedule& schedule) {
  ListPolicy policy{.split_backward = rules.priority.splits_backward()};
  policy.rank_of = [&](int stage, int b) {
    return layout.rank_of[static_cast<size_t>(layout.copy_of[b]) * layout.stages + stage];
  };
  policy.priority = [&](const Action& action) {
    set_pass(context, layout, action);
    return context.evaluate(rules.priority[action.pass]);
  };
  policy.duration = [&](const Action& action) {
    if (!rules.time) return usual_time(action.pass);
    set_pass(context, layout, action);
    return context.evaluate((*rules.time)[action.pass], 0, longest);
  };
  if (rules.hop) policy.hop = context.evaluate(*rules.hop, 0, longest);
  if (rules.in_flight) policy.in_flight = context.evaluate(*rules.in_flight, 1, INT64_MAX);
  if (rules.memory_cap)
    policy.most_held = memory_caps(*rules.memory_cap, context, schedule.ranks());
  const std::optional<int> stuck = list_schedule(schedule, policy);
  if (stuck && rules.memory_cap) {
    const int64_t more = missing_room(policy, schedule, context);
    rules.memory_cap->source.misfit(
        fmt::format("rank {} may hold {} activations, and then no rank can go on; {} more on every "
                    "rank, or 'in_flight', which counts micro-batches as they enter, avoids that",
                    *stuck, policy.most_held[*stuck], more));
  }
}

}  // namespace pipewright::schedule::rules
