#include "diagnose/run_groups.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "diagnose/run_passes.hpp"

namespace pipewright::diagnose {

RunGroups::RunGroups(const RunTrace& trace, const std::vector<Time>& longer)
    : places_(trace.ranks) {
  find_degrees(trace);
  for (RunTraceRank& place : places_) {
    place.tensor = place.tensor * degrees_.context + place.data % degrees_.context;
    place.data /= degrees_.context;
  }
  if (std::ranges::all_of(trace.ranks, [](const RunTraceRank& one) { return one.tensor == 0; }))
    folded_ = degrees_.tensor;
  find_standing(trace, longer);
}

int RunGroups::replicas_of(size_t rank) const {
  return std::max(places_[rank].devices / folded_ / degrees_.context, 1);
}

void RunGroups::find_degrees(const RunTrace& trace) {
  const auto note = [](int devices, int& degree) { degree = std::max(degree, devices); };
  for (const RunSlice& slice : trace.slices) {
    if (slice.kind == RunSliceKind::tensor_group) note(slice.devices, degrees_.tensor);
    if (slice.kind == RunSliceKind::context_group) note(slice.devices, degrees_.context);
    if (slice.kind == RunSliceKind::expert_group) note(slice.devices, degrees_.expert);
    if (slice.kind == RunSliceKind::data_gather) note(slice.devices, gathering_);
    if (slice.kind == RunSliceKind::data_sum) note(slice.devices, summing_);
    if (slice.kind == RunSliceKind::data_sum && !slice.scatters) note(slice.devices, copies_);
  }
}

void RunGroups::find_standing(const RunTrace& trace, const std::vector<Time>& longer) {
  for (const RunTraceRank& place : places_)
    ranks_.push_back({.data = place.data, .stage = place.pipeline, .tensor = place.tensor});
  std::map<std::tuple<uint32_t, RunSliceKind, int32_t, int32_t, int32_t>, std::pair<Time, Time>>
      passes;
  for (size_t i = 0; i < trace.slices.size(); ++i) {
    const RunSlice& slice = trace.slices[i];
    const double length_s =
        in_seconds(slice.end - slice.start - (longer.empty() ? Time{} : longer[i]));
    if (is_pass(slice.kind)) ranks_[slice.rank].computing_s += length_s;
    if (slice.kind == RunSliceKind::update) ranks_[slice.rank].updating_s += length_s;
    if (!is_pass(slice.kind)) continue;
    auto& [start, end] =
        passes
            .try_emplace({slice.rank, slice.kind, slice.stage, slice.micro_batch, slice.slice},
                         slice.start, slice.end)
            .first->second;
    start = std::min(start, slice.start);
    end = std::max(end, slice.end);
  }
  for (const auto& [pass, span] : passes)
    ranks_[std::get<0>(pass)].passing_s += in_seconds(span.second - span.first);
  stands_ = stand_for_groups(ranks_);
}

std::vector<SlowMember> RunGroups::slow_members() const {
  return diagnose::slow_members(ranks_, degrees_.context);
}

int RunGroups::sharing_weights() const {
  int32_t ranks = 1;
  for (const RunTraceRank& place : places_) ranks = std::max(ranks, place.data + 1);
  const int gathering = gathering_ / degrees_.context;
  if (int64_t{gathering} * copies_ == ranks) return ranks;
  return std::max(gathering_ > 0 ? gathering : summing_ / degrees_.context, 1);
}

int RunGroups::sharing_experts() const {
  return std::max(degrees_.expert / (degrees_.tensor * degrees_.context), 1);
}

}  // namespace pipewright::diagnose
