#include "diagnose/weight_gathers.hpp"

#include <algorithm>

namespace pipewright::diagnose {

WeightGathers::WeightGathers(const RunTrace& trace) : trace_(trace), all_(trace.ranks.size()) {
  for (const RunSlice& slice : trace.slices) {
    if (slice.kind == RunSliceKind::data_gather || slice.kind == RunSliceKind::data_sum)
      all_[slice.rank].push_back(&slice);
    if (slice.kind != RunSliceKind::message) continue;
    Time& arrival = arrivals_[{slice.to_rank, slice.stage + (slice.back ? -1 : 1),
                               slice.micro_batch, slice.slice, slice.back}];
    arrival = std::max(arrival, slice.end);
  }
  for (auto& of_rank : all_) std::ranges::stable_sort(of_rank, {}, &RunSlice::end);
}

Time WeightGathers::begin_of(size_t rank, const PassSpan& pass, Time before) const {
  const auto& all = all_[rank];
  const auto last = std::ranges::lower_bound(all, pass.start - rounding, {}, &RunSlice::end);
  if (last == all.end() || (*last)->end > pass.start + rounding) return pass.start;
  const auto arrival =
      arrivals_.find({trace_.number_of(rank), pass.pass.stage, pass.pass.micro_batch,
                      pass.pass.slice, pass.pass.kind == OperationKind::backward});
  const Time ready = arrival == arrivals_.end() ? before : std::max(before, arrival->second);
  return std::min(std::max(queued_from(rank, **last), ready), pass.start);
}

/// When the first of the collectives begins that run right before `last`, one after another: it
/// waits for them.
Time WeightGathers::queued_from(size_t rank, const RunSlice& last) const {
  const auto& all = all_[rank];
  Time from = last.start;
  auto before = std::ranges::upper_bound(all, last.end, {}, &RunSlice::end);
  while (before != all.begin() && (*std::prev(before))->end >= from - rounding) {
    --before;
    from = std::min(from, (*before)->start);
  }
  return from;
}

bool WeightGathers::meets_within(size_t rank, const PassSpan& pass, Time begin) const {
  const auto& all = all_[rank];
  const auto next = std::ranges::upper_bound(all, begin, {}, &RunSlice::end);
  return next != all.end() && (*next)->start < pass.end;
}

Time WeightGathers::beside(size_t rank, Time begin, Time end) const {
  const auto& all = all_[rank];
  Time sum, at = begin;
  for (auto next = std::ranges::upper_bound(all, begin, {}, &RunSlice::end);
       next != all.end() && at < end && (*next)->start < end; ++next) {
    const Time from = std::max(at, (*next)->start), to = std::min(end, (*next)->end);
    sum += std::max(to - from, Time{});
    at = std::max(at, to);
  }
  return sum;
}

}  // namespace pipewright::diagnose
