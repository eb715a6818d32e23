#include "diagnose/weight_gathers.hpp"

#include <algorithm>

namespace pipewright::diagnose {
namespace {

/// Times of a trace are rounded.
constexpr Time rounding{1000};

}  // namespace

WeightGathers::WeightGathers(const RunTrace& trace) : trace_(trace), by_rank_(trace.ranks.size()) {
  for (const RunSlice& slice : trace.slices) {
    if (slice.kind == RunSliceKind::data_gather) by_rank_[slice.rank].push_back(&slice);
    if (slice.kind != RunSliceKind::message) continue;
    Time& arrival = arrivals_[{slice.to_rank, slice.stage + (slice.back ? -1 : 1),
                               slice.micro_batch, slice.slice, slice.back}];
    arrival = std::max(arrival, slice.end);
  }
  for (auto& of_rank : by_rank_) std::ranges::stable_sort(of_rank, {}, &RunSlice::end);
}

Time WeightGathers::begin_of(size_t rank, const PassSpan& pass, Time before) const {
  const auto& gathers = by_rank_[rank];
  const auto gather = std::ranges::lower_bound(gathers, pass.start - rounding, {}, &RunSlice::end);
  if (gather == gathers.end() || (*gather)->end > pass.start + rounding) return pass.start;
  const auto arrival =
      arrivals_.find({trace_.number_of(rank), pass.pass.stage, pass.pass.micro_batch,
                      pass.pass.slice, pass.pass.kind == OperationKind::backward});
  const Time ready = arrival == arrivals_.end() ? before : std::max(before, arrival->second);
  return std::min(std::max((*gather)->start, ready), pass.start);
}

bool WeightGathers::gathers_within(size_t rank, const PassSpan& pass, Time begin) const {
  const auto& gathers = by_rank_[rank];
  const auto gather = std::ranges::upper_bound(gathers, begin, {}, &RunSlice::end);
  return gather != gathers.end() && (*gather)->start < pass.end;
}

}  // namespace pipewright::diagnose
