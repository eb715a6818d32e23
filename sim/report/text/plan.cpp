#include "report/text/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "config/same_but_for.hpp"
#include "report/text/draws.hpp"
#include "report/text/numbers.hpp"
#include "report/text/shared_rank.hpp"
#include "result/best_probability.hpp"
#include "result/ranges.hpp"

namespace pipewright {
namespace {

std::string time_text(const std::optional<double>& time_s) {
  return time_s ? human_time(*time_s) : "-";
}

/// "+3 %": what an estimate is beyond what was simulated.
std::string error_text(const std::optional<double>& estimate, const std::optional<double>& truth) {
  if (!estimate || !truth || *truth <= 0) return "-";
  return fmt::format("{:+.0f} %", 100 * (*estimate / *truth - 1));
}

std::string fits(const Proposal& proposal) {
  if (!proposal.iteration_time_s) return "-";
  if (!proposal.feasible) return "NO";
  return proposal.satisfies ? "yes" : "beyond a limit";
}

std::vector<std::string> headers(const char* who) {
  return {who,    "plan",         "simulated", "peak memory", "devices",
          "fits", "its estimate", "error",     "search"};
}

std::vector<std::string> row(const Proposal& p) {
  return {p.planner,
          p.plan.empty() ? "none" : p.plan,
          time_text(p.iteration_time_s),
          p.iteration_time_s ? human_bytes(p.peak_memory_bytes) : "-",
          fmt::format("{}", p.devices),
          fits(p),
          time_text(p.findings.estimate_s),
          error_text(p.findings.estimate_s, p.iteration_time_s),
          human_time(p.findings.search_s)};
}

/// What was asked for beside the time of an iteration.
std::string training(const Proposal& p, bool with_nodes) {
  std::string text;
  if (with_nodes) text += fmt::format(", on {} node{}", p.nodes, p.nodes == 1 ? "" : "s");
  if (p.time_to_train_s) text += fmt::format(", {} days to train", human_days(*p.time_to_train_s));
  if (p.cost_usd) text += fmt::format(", {:.4g} USD an iteration", *p.cost_usd);
  return text;
}

/// Lists at most `most` points of the simulated frontier, evenly chosen.
Report frontier_report(const Proposal& proposal) {
  constexpr size_t most = 16;
  const std::vector<TimeAndMemory>& all = proposal.findings.simulated_frontier;
  TableRows rows = {{"frontier", "simulated", "peak memory", "its estimate", "error"}};
  const size_t shown = std::min(most, all.size());
  for (size_t i = 0; i < shown; ++i) {
    const TimeAndMemory& point = all[shown == 1 ? 0 : i * (all.size() - 1) / (shown - 1)];
    rows.push_back({point.plan, human_time(point.time_s), human_bytes(point.memory_bytes),
                    time_text(point.estimate_s), error_text(point.estimate_s, point.time_s)});
  }
  return Report()
      .lines(fmt::format("\n{}, {} of {} points of its frontier, as simulated:\n", proposal.planner,
                         shown, all.size()))
      .table(std::move(rows), 2);
}

/// Returns the places of plans in their order. Where they are asked for by their time, those that
/// cannot be told apart share one.
std::vector<int> places_of(const std::vector<Proposal>& plans, const std::string& minimize) {
  std::vector<std::optional<double>> times;
  for (const Proposal& one : plans)
    times.push_back(one.feasible ? one.iteration_time_s : std::nullopt);
  std::vector<int> places = shared_ranks(times, own_deviation());
  for (size_t i = 0; i < places.size(); ++i)
    if (minimize != "time" || places[i] == 0) places[i] = static_cast<int>(i) + 1;
  return places;
}

/// The best plans of all planners, where more than one was asked for.
Report top_report(const PlanResult& result) {
  if (result.top.empty()) return {};
  TableRows rows = {headers("best plans")};
  const std::vector<int> places = places_of(result.top, result.minimize);
  for (size_t i = 0; i < places.size(); ++i) {
    rows.push_back(row(result.top[i]));
    rows.back().front() = fmt::format("{}. {}", places[i], result.top[i].planner);
    rows.back().pop_back();
  }
  rows.front().pop_back();
  Report report = Report().lines("\n").table(std::move(rows));
  if (result.minimize == "time")
    report.lines(
        "Plans that predictions cannot tell apart share a place. Where their times differ by less\n"
        "than those of repeats of one run, the one that needs least memory comes first.\n");
  return report;
}

std::string pinned_text(const PlanResult& result) {
  std::string text;
  if (!result.pinned.empty())
    text += fmt::format("Kept as given: {}.\n", fmt::join(result.pinned, ", "));
  if (!result.habits.empty())
    text += fmt::format("Kept to what is written can say: {}.\n", fmt::join(result.habits, ", "));
  return text;
}

/// What speaks against the best plan, a line each.
std::string reservations(const PlanResult& result, const Proposal& best) {
  std::string text;
  if (!best.synchronous)
    text +=
        "It is asynchronous: gradients are applied to other weights than they were computed on.\n";
  if (best.memory_share > 0.95)
    text += fmt::format("It leaves {} of a device's memory.\n", percent(1 - best.memory_share));
  if (best.devices < result.devices)
    text += fmt::format("It uses {} of {} devices; the others are idle.\n", best.devices,
                        result.devices);
  return text;
}

/// Why the best plan is not the fastest one.
std::string choice(const Proposal& best) {
  if (!best.passed_over || !best.iteration_time_s) return {};
  const PassedOver& faster = *best.passed_over;
  return fmt::format(
      "{} would be {:.1f} % faster, but needs {}. Repeats of one run differ by more.\n",
      faster.plan, 100 * (*best.iteration_time_s / faster.iteration_time_s - 1),
      human_bytes(faster.peak_memory_bytes));
}

/// The clusters over which the cost is the least.
std::string clusters_tried(const PlanResult& result) {
  if (result.minimize != "cost" || result.most_nodes == 1) return {};
  if (result.most_nodes == 0)
    return "Only the whole cluster was tried: it does not count nodes of one kind.\n";
  return fmt::format(
      "Clusters of 1 to {} were tried{}.\n", counted(result.most_nodes, "node"),
      result.most_nodes > 8 ? ": every number to 8, then 12, 16, 24, 32, ..., and all" : "");
}

/// Who may be as fast as the best plan, where plans are asked for by their time.
std::string alike(const PlanResult& result, const Proposal& best) {
  if (result.minimize != "time" || !best.iteration_time_s) return {};
  std::vector<TimedName> others;
  for (const Proposal& p : result.proposals)
    if (p.iteration_time_s && p.feasible && p.satisfies && &p != &best && p.plan != best.plan &&
        !config::same_but_for(p.experiment, best.experiment, "recompute"))
      others.push_back({fmt::format("{} ({})", p.plan, p.planner), *p.iteration_time_s});
  const std::string text =
      shared_rank_text({fmt::format("{} ({})", best.plan, best.planner), *best.iteration_time_s},
                       others, own_deviation());
  return text.empty() ? text : text + '\n';
}

}  // namespace

Report plan_report(const PlanResult& result) {
  TableRows rows = {headers("planner")};
  std::string reasons;
  for (const Proposal& proposal : result.proposals) {
    rows.push_back(row(proposal));
    if (!proposal.iteration_time_s)
      reasons += fmt::format("{}: {}\n", proposal.planner, proposal.reason);
    if (!proposal.findings.note.empty())
      reasons += fmt::format("{}: {}\n", proposal.planner, proposal.findings.note);
  }
  Report report;
  report.heading("Plans").table(std::move(rows)).items(std::move(reasons));
  for (const Proposal& proposal : result.proposals)
    if (!proposal.findings.simulated_frontier.empty()) report.add(frontier_report(proposal));
  return report.add(top_report(result)).lines('\n' + pinned_text(result) + plan_advice(result));
}

std::string plan_advice(const PlanResult& result) {
  if (result.best) {
    const Proposal& best = result.proposals[*result.best];
    return fmt::format("Take {} ({}): {} an iteration{}, at most {} on a device.\n", best.plan,
                       best.planner, time_text(best.iteration_time_s),
                       training(best, result.minimize != "time"),
                       human_bytes(best.peak_memory_bytes)) +
           draws_line(best.seeds) + clusters_tried(result) + choice(best) +
           reservations(result, best) + alike(result, best);
  }
  const auto nearest = std::min_element(
      result.proposals.begin(), result.proposals.end(), [](const Proposal& a, const Proposal& b) {
        const auto key = [](const Proposal& p) {
          return std::tuple(!p.iteration_time_s, !p.feasible, p.peak_memory_bytes);
        };
        return key(a) < key(b);
      });
  if (nearest == result.proposals.end() || !nearest->iteration_time_s)
    return "No planner has a plan for this.\n";
  return fmt::format("Nothing fits{}; {} ({}) comes nearest: {}, {} on a device{}{}.\n",
                     nearest->feasible ? " the limits" : "", nearest->plan, nearest->planner,
                     time_text(nearest->iteration_time_s), human_bytes(nearest->peak_memory_bytes),
                     training(*nearest, false),
                     nearest->feasible ? ", but its " + nearest->reason : "");
}

}  // namespace pipewright
