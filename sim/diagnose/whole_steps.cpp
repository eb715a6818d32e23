#include "diagnose/whole_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"

namespace pipewright::diagnose {
namespace {

using PassCount = std::map<std::pair<int, OperationKind>, int>;

/// How many passes of each direction every rank has in each step.
std::map<int32_t, PassCount> count_passes(const MeasuredJob& job) {
  std::map<int32_t, PassCount> counts;
  for (const TracedOperation& one : job.operations)
    if (is_pass(one.kind)) ++counts[one.step][{job.rank_of(one), one.kind}];
  return counts;
}

/// What most steps have; of several the one that has most.
PassCount usual(const std::map<int32_t, PassCount>& counts) {
  std::map<PassCount, size_t> times;
  for (const auto& [step, count] : counts) ++times[count];
  const auto total = [](const PassCount& count) {
    int sum = 0;
    for (const auto& [place, n] : count) sum += n;
    return sum;
  };
  return std::ranges::max_element(
             times, {}, [&](const auto& one) { return std::pair(one.second, total(one.first)); })
      ->first;
}

/// How many passes each rank has in a step.
std::map<int, int> by_rank(const PassCount& count) {
  std::map<int, int> ranks;
  for (const auto& [place, n] : count) ranks[place.first] += n;
  return ranks;
}

/// Whether one that is not among `usual_ranks` does in a step what those do that are.
bool goes_along(int rank, const std::map<int, int>& step, const std::map<int, int>& usual_ranks) {
  const auto own = step.find(rank);
  return own != step.end() && std::ranges::any_of(step, [&](const auto& other) {
           return usual_ranks.contains(other.first) && other.second == own->second;
         });
}

/// A rank that has passes, but in no step as many as those that have passes in the usual steps, is
/// of another job. Ranks that are cut off have some steps with the others.
void refuse_other_jobs(const MeasuredJob& job, const std::map<int32_t, PassCount>& counts,
                       const PassCount& whole, const std::string& file) {
  const std::map<int, int> usual_ranks = by_rank(whole);
  std::map<int, bool> others;  // whether they go along
  for (const auto& [step, count] : counts) {
    const std::map<int, int> ranks = by_rank(count);
    for (const auto& [rank, passes] : ranks)
      if (!usual_ranks.contains(rank)) others[rank] |= goes_along(rank, ranks, usual_ranks);
  }
  const auto other = std::ranges::find(others, false, &std::pair<const int, bool>::second);
  if (other == others.end()) return;
  const int first = usual_ranks.begin()->first;
  throw InputError(
      {file, 0, 0},
      fmt::format("data rank {}, stage {} has no step in common with data rank {}, stage {}: these "
                  "seem to be two jobs, or one that was traced in different steps",
                  other->first / job.stages, other->first % job.stages, first / job.stages,
                  first % job.stages));
}

}  // namespace

void refuse_doubled_passes(const MeasuredJob& job, const std::string& file) {
  const TracedOperation* before = nullptr;
  std::set<std::tuple<OperationKind, int32_t, int32_t>> passed;
  for (const TracedOperation& one : job.operations) {
    if (!before || before->step != one.step || job.rank_of(*before) != job.rank_of(one))
      passed.clear();
    before = &one;
    if (!is_pass(one.kind) || one.micro_batch < 0) continue;
    if (!passed.insert({one.kind, one.chunk, one.micro_batch}).second)
      throw InputError(
          {file, 0, 0},
          fmt::format("data rank {}, stage {} has {} of micro-batch {} twice in step {}: these "
                      "seem to be two jobs",
                      one.dp_rank, one.stage, name_of(one.kind), one.micro_batch, one.step));
  }
}

void drop_unusual_steps(MeasuredJob& job, const std::string& file) {
  const std::map<int32_t, PassCount> counts = count_passes(job);
  if (counts.empty()) throw InputError({file, 0, 0}, "has neither a forward nor a backward pass");
  const PassCount whole = usual(counts);
  refuse_other_jobs(job, counts, whole, file);
  std::set<int32_t> all;
  for (const TracedOperation& one : job.operations) all.insert(one.step);
  for (const int32_t step : all)
    if (const auto found = counts.find(step); found != counts.end() && found->second == whole)
      job.steps.push_back(step);
  std::erase_if(job.operations, [&](const TracedOperation& one) {
    return !std::ranges::binary_search(job.steps, one.step);
  });
  if (job.steps.size() < all.size())
    job.notes.push_back(
        fmt::format("{} of {} steps do not have the passes that the others have, "
                    "and were left out",
                    all.size() - job.steps.size(), all.size()));
}

}  // namespace pipewright::diagnose
