#include "diagnose/run_iterations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace pipewright::diagnose {
namespace {

size_t place_in(const std::vector<Time>& updates, Time start) {
  return static_cast<size_t>(std::ranges::upper_bound(updates, start) - updates.begin());
}

bool is_of_data_ranks(const RunSlice& slice) {
  return slice.kind == RunSliceKind::data_sum || slice.kind == RunSliceKind::data_gather;
}

}  // namespace

RunIterations::RunIterations(const RunTrace& trace,
                             const std::vector<std::vector<PassSpan>>& passes) {
  find_updates(trace);
  for (const std::vector<PassSpan>& of_rank : passes)
    last_pass_.push_back(of_rank.empty() ? longest_time : of_rank.back().start);
  flushes_ = flush(passes);
  if (!flushes_) number(passes);
}

void RunIterations::find_updates(const RunTrace& trace) {
  std::map<std::pair<size_t, int32_t>, Time> ends;  // by rank and step
  for (const RunSlice& slice : trace.slices) {
    if (slice.kind != RunSliceKind::update) continue;
    Time& end = ends[{slice.rank, slice.step}];
    end = std::max(end, slice.end);
  }
  updates_.resize(trace.ranks.size());
  for (const auto& [place, end] : ends) updates_[place.first].push_back(end);
  for (std::vector<Time>& of_rank : updates_) std::ranges::sort(of_rank);
  by_micro_batch_ = std::ranges::any_of(trace.slices, [this](const RunSlice& slice) {
    const auto updates = static_cast<int32_t>(updates_[slice.rank].size());
    return is_of_data_ranks(slice) && slice.step >= std::max(updates, 1);
  });
}

bool RunIterations::flush(const std::vector<std::vector<PassSpan>>& passes) const {
  std::set<std::vector<std::set<int32_t>>> seen;
  for (size_t rank = 0; rank < passes.size(); ++rank) {
    if (passes[rank].empty()) continue;
    std::vector<std::set<int32_t>> by_step(updates_[rank].size() + 1);
    for (const PassSpan& one : passes[rank])
      by_step[place_in(updates_[rank], one.start)].insert(one.pass.micro_batch);
    if (by_step.back().empty()) by_step.pop_back();
    seen.insert(std::move(by_step));
  }
  return seen.size() == 1;
}

void RunIterations::number(const std::vector<std::vector<PassSpan>>& passes) {
  std::set<int32_t> micro_batches;
  size_t updates = 0;
  for (size_t rank = 0; rank < passes.size(); ++rank) {
    for (const PassSpan& one : passes[rank]) micro_batches.insert(one.pass.micro_batch);
    updates = std::max(updates, updates_[rank].size());
  }
  if (updates < 2 || micro_batches.size() % updates != 0) return;
  const size_t each = micro_batches.size() / updates;
  size_t place = 0;
  for (const int32_t one : micro_batches) iteration_of_[one] = static_cast<int32_t>(place++ / each);
  for (size_t one = 0; one < updates; ++one) numbers_.push_back(static_cast<int32_t>(one));
}

int32_t RunIterations::step_at(size_t rank, Time start) const {
  return flushes_ ? static_cast<int32_t>(place_in(updates_[rank], start)) : 0;
}

int32_t RunIterations::iteration_of(int32_t micro_batch) const {
  const auto found = iteration_of_.find(micro_batch);
  return found == iteration_of_.end() ? 0 : found->second;
}

int32_t RunIterations::step_of(const RunSlice& slice) const {
  if (!flushes_) return 0;
  if (!by_micro_batch_ || !is_of_data_ranks(slice)) return slice.step;
  return step_at(slice.rank, std::min(slice.start, last_pass_[slice.rank]));
}

int32_t RunIterations::iteration_of(const RunSlice& slice) const {
  if (by_micro_batch_ && is_of_data_ranks(slice)) return iteration_of(slice.step);
  const auto count = static_cast<int32_t>(numbers_.size());
  return count == 0 ? 0 : std::clamp(slice.step, 0, count - 1);
}

std::string RunIterations::note() const {
  const auto most = std::ranges::max_element(updates_, {}, &std::vector<Time>::size);
  if (flushes_ || most == updates_.end() || most->size() < 2) return {};
  const auto apart = static_cast<int64_t>(most->size()) - 1;
  const std::string every = human_time(in_seconds(divide(most->back() - most->front(), apart)));
  if (numbers_.empty())
    return fmt::format(
        "{} iterations run into each other and are one step here; a rank updates its weights every "
        "{}",
        most->size(), every);
  return fmt::format(
      "{} iterations run into each other: a step is the time from the end of one to the end of the "
      "next, and a rank updates its weights every {}",
      most->size(), every);
}

}  // namespace pipewright::diagnose
