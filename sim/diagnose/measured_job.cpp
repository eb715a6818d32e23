#include "diagnose/measured_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "diagnose/whole_steps.hpp"

namespace pipewright::diagnose {
namespace {

constexpr size_t most_operations = size_t{1} << 21;

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
  job.lacks = true;
  const size_t count = silent.size();
  silent.resize(std::min(count, shown));
  job.notes.push_back(
      fmt::format("{} of {} ranks have no passes in the trace: {}{}. Whether they or the links to "
                  "them are slow "
                  "cannot be told",
                  count, job.ranks(), fmt::join(silent, "; "), count > shown ? "; ..." : ""));
}

Time step_time(const MeasuredJob& job, size_t step) {
  const std::span<const TracedOperation> all = job.of_step(step);
  const Time first = std::ranges::min_element(all, {}, &TracedOperation::start)->start;
  return std::ranges::max_element(all, {}, &TracedOperation::end)->end() - first;
}

/// From the begin of the step.
std::vector<Time> ends_of_iterations(const MeasuredJob& job) {
  const std::span<const TracedOperation> all = job.of_step(0);
  const Time first = std::ranges::min_element(all, {}, &TracedOperation::start)->start;
  std::vector<Time> ends(job.iterations());
  for (const TracedOperation& one : all) {
    Time& end = ends[job.iteration_of(0, one)];
    end = std::max(end, one.end() - first);
  }
  return ends;
}

}  // namespace

size_t MeasuredJob::iteration_of(const TracedOperation& one) const {
  return iteration_of(
      static_cast<size_t>(std::ranges::lower_bound(steps, one.step) - steps.begin()), one);
}

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
                  .run_on = std::move(trace.iterations),
                  .knows_hosts = trace.knows_hosts,
                  .one_clock = trace.one_clock,
                  .step_lengths = std::move(trace.step_lengths),
                  .lacks = trace.lacks,
                  .slow_members = std::move(trace.slow_members),
                  .facts = std::move(trace.facts),
                  .expert_ranks = trace.expert_ranks,
                  .folds = trace.folds,
                  .within = std::move(trace.within),
                  .windows = std::move(trace.windows),
                  .notes = std::move(trace.notes)};
  find_degrees(job, file);
  sort_by_time(job.operations);
  refuse_doubled_passes(job, file);
  drop_unusual_steps(job, file);
  thin_out(job);
  put_in_order(job);
  if (!trace.folds) tell_missing_ranks(job);
  job.data_degree = job.lacks && !trace.folds ? std::max(job.data, trace.degrees.data) : job.data;
  return job;
}

void put_in_order(MeasuredJob& job) {
  sort_by_time(job.operations);
  index(job);
}

void to_times_between(std::vector<Time>& ends) {
  Time before;
  for (Time& one : ends) {
    const Time end = std::max(one, before);
    one = end - before;
    before = end;
  }
}

namespace {

/// By iteration, the longest that the marks of a rank tell: ranks do not begin a step at once.
/// Empty where they do not tell all.
std::vector<Time> marked_times(const MeasuredJob& job) {
  std::map<int32_t, Time> longest;  // by number
  for (const auto& [place, length] : job.step_lengths) {
    Time& most = longest[std::get<2>(place)];
    most = std::max(most, length);
  }
  std::vector<Time> times;
  for (size_t place = 0; place < job.iterations(); ++place) {
    const auto found = longest.find(job.iteration_number(place));
    if (found == longest.end()) return {};
    times.push_back(found->second);
  }
  return times;
}

}  // namespace

std::vector<Time> iteration_times(const MeasuredJob& job) {
  std::vector<Time> times = marked_times(job);
  if (!times.empty()) return times;
  if (!job.run_on.empty()) {
    times = ends_of_iterations(job);
    to_times_between(times);
    return times;
  }
  for (size_t step = 0; step < job.steps.size(); ++step) times.push_back(step_time(job, step));
  return times;
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
  return static_cast<int>(numbers.size() / std::max<size_t>(job.run_on.size(), 1));
}

}  // namespace pipewright::diagnose
