#include "diagnose/between_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {
namespace {

/// Longer than the usual by this much of a step, a time is one of the few.
constexpr double rare = 0.1;

struct Between {
  int32_t before = 0;  ///< the number of the step that has ended
  double seconds = 0;
};

/// Marks say when the step of a rank ends; what its host does before the first operation of the
/// next is within that. The ranks of a step do not end at once: the one that has least time counts,
/// for the others wait for it.
double time_after(const MeasuredJob& job, size_t step) {
  double least = std::numeric_limits<double>::infinity();
  for (int rank = 0; rank < job.ranks(); ++rank) {
    const auto before = job.of(step, rank), after = job.of(step + 1, rank);
    if (before.empty() || after.empty()) continue;
    const TracedOperation& last = *std::ranges::max_element(before, {}, &TracedOperation::end);
    const auto whole = job.step_lengths.find({last.dp_rank, last.stage, last.step});
    const Time until = whole == job.step_lengths.end()
                           ? after.front().start - last.end()
                           : whole->second - last.since_begin - last.duration;
    least = std::min(least, in_seconds(until));
  }
  return std::isfinite(least) ? std::max(least, 0.0) : 0;
}

std::vector<Between> times_between(const MeasuredJob& job) {
  std::vector<Between> all;
  for (size_t step = 0; step + 1 < job.steps.size(); ++step)
    if (job.steps[step + 1] == job.steps[step] + 1)
      all.push_back({job.steps[step], time_after(job, step)});
  return all;
}

std::string names_of(const std::vector<Between>& few) {
  constexpr size_t most = 3;
  std::string text = few.size() == 1 ? "after step" : "after steps";
  for (size_t i = 0; i < std::min(most, few.size()); ++i)
    text += fmt::format("{} {}", i == 0 ? "" : ",", few[i].before);
  return few.size() > most ? text + " and others" : text;
}

Cause cause_of(std::string who, double seconds, std::string remedy) {
  return {.kind = CauseKind::host,
          .who = std::move(who),
          .recovered_s = seconds,
          .remedy = std::move(remedy)};
}

}  // namespace

std::vector<Cause> between_steps(const MeasuredJob& job, double simulated_s) {
  const std::vector<Between> all = times_between(job);
  if (all.empty()) return {};
  std::vector<double> times;
  for (const Between& one : all) times.push_back(one.seconds);
  const double usual = median_of(std::move(times));
  std::vector<Between> few;
  std::ranges::copy_if(all, std::back_inserter(few), [&](const Between& one) {
    return one.seconds > usual + rare * simulated_s;
  });
  double longer = 0;
  for (const Between& one : few) longer += one.seconds - usual;
  std::vector<Cause> found = {
      cause_of(between_steps_name, usual,
               "load data and write logs beside the steps: all devices wait between two of them"),
      cause_of("pauses " + names_of(few), longer / static_cast<double>(all.size()),
               "write checkpoints beside the steps (asynchronously), and evaluate less often: all "
               "devices wait for what hosts do after these steps")};
  std::erase_if(found,
                [&](const Cause& one) { return one.recovered_s < smallest_cause * simulated_s; });
  return found;
}

}  // namespace pipewright::diagnose
