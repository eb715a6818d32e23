#include "diagnose/measured_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"

namespace pipewright::diagnose {
namespace {

constexpr size_t most_operations = size_t{1} << 21;

using PassCount = std::map<std::pair<int, OperationKind>, int>;

void sort_by_time(std::vector<TracedOperation>& operations) {
  std::ranges::sort(operations, {}, [](const TracedOperation& one) {
    return std::tuple(one.step, one.dp_rank, one.stage, one.start, one.kind, one.sequence);
  });
}

void find_degrees(MeasuredJob& job, const std::string& file) {
  for (const TracedOperation& one : job.operations) {
    job.data = std::max(job.data, one.dp_rank + 1);
    job.stages = std::max(job.stages, one.stage + 1);
    job.chunks = std::max(job.chunks, one.chunk + 1);
  }
  if (static_cast<size_t>(job.data) * static_cast<size_t>(job.stages) > job.operations.size())
    throw InputError({file, 0, 0},
                     fmt::format("names {} data ranks and {} stages, but has {} operations only",
                                 job.data, job.stages, job.operations.size()));
}

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

void drop_unusual_steps(MeasuredJob& job, const std::string& file) {
  const std::map<int32_t, PassCount> counts = count_passes(job);
  if (counts.empty()) throw InputError({file, 0, 0}, "has neither a forward nor a backward pass");
  const PassCount whole = usual(counts);
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

/// Of a very long trace every k-th step is looked at: a hundred runs of all would take too long.
void thin_out(MeasuredJob& job) {
  const size_t every = job.operations.size() / most_operations + 1;
  if (every == 1 || job.steps.size() == 1) return;
  std::vector<int32_t> kept;
  for (size_t i = 0; i < job.steps.size(); i += every) kept.push_back(job.steps[i]);
  job.notes.push_back(
      fmt::format("{} of {} steps were looked at, evenly spread", kept.size(), job.steps.size()));
  job.steps = std::move(kept);
  std::erase_if(job.operations, [&](const TracedOperation& one) {
    return !std::ranges::binary_search(job.steps, one.step);
  });
}

void index(MeasuredJob& job) {
  const auto ranks = static_cast<size_t>(job.ranks());
  job.offset.assign(job.steps.size() * ranks + 1, 0);
  for (const TracedOperation& one : job.operations) {
    const auto step = std::ranges::lower_bound(job.steps, one.step) - job.steps.begin();
    ++job.offset[static_cast<size_t>(step) * ranks + static_cast<size_t>(job.rank_of(one)) + 1];
  }
  for (size_t i = 1; i < job.offset.size(); ++i) job.offset[i] += job.offset[i - 1];
}

void tell_missing_ranks(MeasuredJob& job) {
  constexpr size_t shown = 4;
  std::vector<std::string> silent;
  for (int rank = 0; rank < job.ranks(); ++rank)
    if (passes_of(job, 0, rank).empty())
      silent.push_back(fmt::format("data rank {}, stage {}", rank / job.stages, rank % job.stages));
  if (silent.empty()) return;
  const size_t count = silent.size();
  silent.resize(std::min(count, shown));
  job.notes.push_back(fmt::format("{} of {} ranks have no passes in the trace: {}{}", count,
                                  job.ranks(), fmt::join(silent, "; "),
                                  count > shown ? "; ..." : ""));
}

}  // namespace

std::span<const TracedOperation> MeasuredJob::of_step(size_t step) const {
  const auto ranks_of_step = static_cast<size_t>(ranks());
  return {operations.data() + offset[step * ranks_of_step],
          operations.data() + offset[(step + 1) * ranks_of_step]};
}

std::span<const TracedOperation> MeasuredJob::of(size_t step, int rank) const {
  const size_t place = step * static_cast<size_t>(ranks()) + static_cast<size_t>(rank);
  return {operations.data() + offset[place], operations.data() + offset[place + 1]};
}

int MeasuredJob::model_stage(int rank, int chunk) const {
  if (placement.empty()) return chunk * stages + rank;
  const std::vector<int32_t>& of_rank = placement[static_cast<size_t>(rank)];
  return static_cast<size_t>(chunk) < of_rank.size() ? of_rank[static_cast<size_t>(chunk)] : -1;
}

int MeasuredJob::model_stages() const {
  if (placement.empty()) return stages * chunks;
  int count = 0;
  for (const std::vector<int32_t>& of_rank : placement)
    for (const int32_t stage : of_rank) count = std::max(count, stage + 1);
  return count;
}

int MeasuredJob::holder_of(int model_stage, int near) const {
  if (placement.empty()) return model_stage % stages;
  int nearest = -1;
  for (int rank = 0; rank < stages; ++rank) {
    const std::vector<int32_t>& held = placement[static_cast<size_t>(rank)];
    const bool holds = std::ranges::find(held, model_stage) != held.end();
    if (holds && (nearest < 0 || std::abs(rank - near) < std::abs(nearest - near))) nearest = rank;
  }
  return nearest;
}

MeasuredJob measured_job(JobTrace trace, const std::string& file) {
  MeasuredJob job{.stages = std::max(trace.stages, 1),
                  .operations = std::move(trace.operations),
                  .placement = std::move(trace.placement),
                  .slices = trace.slices,
                  .lacks = trace.lacks,
                  .within = std::move(trace.within),
                  .notes = std::move(trace.notes)};
  find_degrees(job, file);
  drop_unusual_steps(job, file);
  thin_out(job);
  sort_by_time(job.operations);
  index(job);
  tell_missing_ranks(job);
  return job;
}

MeasuredJob measured_job(std::vector<TracedOperation> operations, const std::string& file) {
  return measured_job(JobTrace{.operations = std::move(operations)}, file);
}

namespace {

template <class Predicate>
std::vector<size_t> places_of(const MeasuredJob& job, size_t step, int rank, Predicate holds) {
  const std::span<const TracedOperation> all = job.of(step, rank);
  const auto first = static_cast<size_t>(all.data() - job.of_step(step).data());
  std::vector<size_t> places;
  for (size_t i = 0; i < all.size(); ++i)
    if (holds(all[i].kind)) places.push_back(first + i);
  return places;
}

}  // namespace

std::vector<size_t> passes_of(const MeasuredJob& job, size_t step, int rank) {
  return places_of(job, step, rank, is_pass);
}

std::vector<size_t> compute_of(const MeasuredJob& job, size_t step, int rank) {
  return places_of(job, step, rank, computes);
}

int micro_batches(const MeasuredJob& job) {
  std::set<int32_t> numbers;
  for (const TracedOperation& one : job.of_step(0))
    if (is_pass(one.kind)) numbers.insert(one.micro_batch);
  return static_cast<int>(numbers.size());
}

}  // namespace pipewright::diagnose
