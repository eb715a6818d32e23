#include "diagnose/joined_steps.hpp"

#include <algorithm>
#include <cstdint>

#include "diagnose/transfers.hpp"

namespace pipewright::diagnose {
namespace {

/// Of a step: more between two steps is a cause of its own (between_steps.hpp).
constexpr double longest_between = 0.01;

struct Extent {
  Time begin = longest_time, end;
};

Extent extent_of(const MeasuredJob& job, size_t step) {
  Extent extent;
  for (const TracedOperation& one : job.of_step(step)) {
    extent.begin = std::min(extent.begin, one.start);
    extent.end = std::max(extent.end, one.end());
  }
  return extent;
}

bool follow_each_other(const std::vector<int32_t>& steps) {
  return std::ranges::adjacent_find(
             steps, [](int32_t one, int32_t next) { return next != one + 1; }) == steps.end();
}

/// Whether every rank begins a step when its own step before has ended. Tables may count the time
/// of each step from its begin.
bool ranks_follow(const MeasuredJob& job, size_t step) {
  for (int rank = 0; rank < job.ranks(); ++rank) {
    const auto before = job.of(step - 1, rank), own = job.of(step, rank);
    if (before.empty() || own.empty()) continue;
    const Time end = std::ranges::max_element(before, {}, &TracedOperation::end)->end();
    if (own.front().start + same_time < end) return false;
  }
  return true;
}

/// Whether all steps begin when the one before them ends, and some before it. Where all ranks wait
/// for the last, each step stands by itself.
bool run_on(const MeasuredJob& job) {
  bool overlap = false;
  Extent before = extent_of(job, 0);
  for (size_t step = 1; step < job.steps.size(); ++step) {
    const Extent own = extent_of(job, step);
    const double between = in_seconds(own.begin - before.end);
    if (between > longest_between * in_seconds(before.end - before.begin)) return false;
    if (!ranks_follow(job, step)) return false;
    overlap = overlap || own.begin + same_time < before.end;
    before = own;
  }
  return overlap;
}

/// Messages take the names of their passes: their order alone tells no more within a longer step.
void name_messages(MeasuredJob& job, size_t step) {
  const Transfers found = match_transfers(job, step);
  TracedOperation* const first = job.operations.data() + job.first_of(step);
  for (size_t i = 0; i < found.pass.size(); ++i) {
    if (found.pass[i] == nothing) continue;
    first[i].chunk = first[found.pass[i]].chunk;
    first[i].micro_batch = first[found.pass[i]].micro_batch;
  }
}

int64_t most_micro_batches(const MeasuredJob& job) {
  int64_t count = 0;
  for (const TracedOperation& one : job.operations)
    count = std::max(count, int64_t{one.micro_batch} + 1);
  return count;
}

void number_on(MeasuredJob& job) {
  const auto count = static_cast<int32_t>(most_micro_batches(job));
  for (size_t step = 0; step < job.steps.size(); ++step)
    for (size_t i = job.first_of(step); i < job.first_of(step + 1); ++i) {
      TracedOperation& one = job.operations[i];
      one.iteration = static_cast<int32_t>(step);
      if (one.micro_batch >= 0) one.micro_batch += one.iteration * count;
      one.step = job.steps.front();
    }
}

}  // namespace

void join_steps(MeasuredJob& job) {
  if (job.steps.size() < 2 || !job.run_on.empty() || !follow_each_other(job.steps)) return;
  if (!run_on(job)) return;
  if (most_micro_batches(job) * static_cast<int64_t>(job.steps.size()) > INT32_MAX) return;
  for (size_t step = 0; step < job.steps.size(); ++step) name_messages(job, step);
  number_on(job);
  job.run_on = std::move(job.steps);
  job.joined = true;
  job.steps = {job.run_on.front()};
  put_in_order(job);
}

}  // namespace pipewright::diagnose
