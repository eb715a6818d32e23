// Steepest descent from a plan, by simulation: of all plans that differ in one thing the best, as
// long as it is better.
#include "search/refinement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/parallel.hpp"
#include "experiment/schedule_name.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

constexpr int most_steps = 4;

bool sets(const Candidate& c, std::string_view path) {
  return std::ranges::any_of(c.settings,
                             [&](const std::string& setting) { return setting.starts_with(path); });
}

void add_setting(const Problem& problem, const Candidate& c, const char* path, const char* value,
                 std::vector<Candidate>& all) {
  if (sets(c, path) || pinned(problem, path)) return;
  Candidate& next = all.emplace_back(c);
  next.settings.push_back(fmt::format("{}={}", path, value));
}

/// Memory that the host has room for need not be saved by recomputation.
void add_offloading(const Problem& problem, const Candidate& c, std::vector<Candidate>& all) {
  for (const char* what : {"optimizer", "activations"}) {
    add_setting(problem, c, "offload", what, all);
    if (c.recompute.empty() || c.recompute == "none" || sets(c, "offload")) continue;
    Candidate whole = c;
    whole.recompute = "none";
    add_setting(problem, whole, "offload", what, all);
  }
}

void add_micro_batches(const Given& given, const Candidate& c, std::vector<Candidate>& all) {
  for (const int micro : {c.micro / 2, c.micro * 2}) {
    if (micro < 1 || given.global % (int64_t{c.data} * micro) != 0) continue;
    all.emplace_back(c).micro = micro;
  }
}

void add_chunks(const Given& given, const Candidate& c, std::vector<Candidate>& all) {
  if (given.blocks == 0 || c.pipeline == 1 || c.split != Split::even || !c.layers.empty()) return;
  for (const int chunks : divisors(given.blocks / c.pipeline)) {
    if (chunks < 2 || chunks > 12) continue;
    Candidate next = c;
    next.schedule = schedule_named(fmt::format("{{name: interleaved-1f1b, virtual: {}}}", chunks));
    if (schedule_name(next.schedule) != schedule_name(c.schedule)) all.push_back(std::move(next));
  }
}

void add_sharing(const Candidate& c, std::vector<Candidate>& all) {
  for (const int zero : {1, 2, 3})
    if (c.data > 1 && zero != c.zero) all.emplace_back(c).zero = zero;
}

/// Returns the step as simulated. What the cluster cannot do, such as offload to a host that it
/// does not have, is no plan: nobody asked for it.
Proposal tried(const Problem& problem, const Candidate& step) {
  try {
    return simulated(problem, step);
  } catch (const InputError& error) {
    return {.plan = step.label(), .reason = error.message()};
  }
}

}  // namespace

bool is_too_fast(const Problem& problem, const Candidate& c) {
  if (c.zero != 2 || c.tensor == 1 || pinned(problem, "parallel.zero")) return false;
  const config::Value* overlap = problem.experiment.find("overlap");
  const config::Value* tensor = overlap && overlap->is_map() ? overlap->find("tensor") : nullptr;
  return sets(c, "overlap.tensor") || (tensor && tensor->text != "none");
}

std::vector<Candidate> steps_from(const Problem& problem, const Candidate& c) {
  const Given given = given_by(problem);
  std::vector<Candidate> all;
  if (given.transformer && c.tensor > 1)
    for (const char* how : {"chunked", "domino"})
      add_setting(problem, c, "overlap.tensor", how, all);
  if (given.transformer) add_offloading(problem, c, all);
  add_micro_batches(given, c, all);
  if (problem.schedules.empty()) add_chunks(given, c, all);
  add_sharing(c, all);
  std::erase_if(all, [&](const Candidate& one) {
    return !keeps_pinned(problem, one) || is_too_fast(problem, one);
  });
  return all;
}

std::vector<Candidate> overlapped(const Problem& problem, const std::vector<Estimated>& ordered) {
  constexpr int of_each_cut = 3;
  constexpr size_t most_cuts = 8;
  std::vector<Candidate> all;
  if (!given_by(problem).transformer) return all;
  std::map<std::array<int, 4>, int> taken;
  for (const Estimated& one : ordered) {
    const Candidate& c = one.candidate;
    const std::array<int, 4> cut{c.tensor, c.pipeline, c.context, c.expert};
    if (c.tensor == 1 || c.zero == 2 || (taken.size() == most_cuts && !taken.contains(cut)))
      continue;
    if (++taken[cut] <= of_each_cut) add_setting(problem, c, "overlap.tensor", "chunked", all);
  }
  return all;
}

Judged refined(const Problem& problem, Judged found) {
  if (found.proposal.plan.empty()) return found;
  const std::optional<double>& time = found.proposal.iteration_time_s;
  if (problem.reached && time && *time > most_gain * *problem.reached) return found;
  for (int step = 0; step < most_steps; ++step) {
    const std::vector<Candidate> next = steps_from(problem, found.candidate);
    std::vector<Proposal> proposals(next.size());
    in_parallel(next.size(), problem.jobs,
                [&](size_t i) { proposals[i] = tried(problem, next[i]); });
    std::optional<size_t> best;
    for (size_t i = 0; i < next.size(); ++i) {
      const Proposal& least = best ? proposals[*best] : found.proposal;
      if (proposals[i].iteration_time_s && better(problem, proposals[i], least)) best = i;
    }
    if (!best) break;
    proposals[*best].runners_up = std::move(found.proposal.runners_up);
    found.proposal.runners_up.clear();
    // What was found before may be as fast and leave more memory.
    proposals[*best].runners_up.insert(proposals[*best].runners_up.begin(), found.proposal);
    found = {std::move(proposals[*best]), next[*best]};
  }
  if (found.proposal.findings.estimate_s) return found;
  for (const Estimated& one : estimated(problem, {found.candidate}))
    found.proposal.findings.estimate_s = in_seconds(one.estimate);
  return found;
}

}  // namespace pipewright::search
