#include "diagnose/summing_passes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "diagnose/time_ranges.hpp"

namespace pipewright::diagnose {
namespace {

using StageOfRank = std::pair<uint32_t, int32_t>;

bool goes_back(const RunSlice& slice) {
  return slice.kind == RunSliceKind::backward || slice.kind == RunSliceKind::input_gradient;
}

/// By rank and stage, the beginnings of its backward passes in order.
std::map<StageOfRank, std::vector<Time>> beginnings(const RunTrace& trace) {
  std::map<StageOfRank, std::map<std::pair<int32_t, int32_t>, Time>> first;  // by micro-batch
  for (const RunSlice& slice : trace.slices) {
    if (!goes_back(slice)) continue;
    auto& begin = first[{slice.rank, slice.stage}]
                      .try_emplace({slice.micro_batch, slice.slice}, slice.start)
                      .first->second;
    begin = std::min(begin, slice.start);
  }
  std::map<StageOfRank, std::vector<Time>> all;
  for (const auto& [place, passes] : first) {
    for (const auto& [pass, begin] : passes) all[place].push_back(begin);
    std::ranges::sort(all[place]);
  }
  return all;
}

bool sums_several_times(const RunTrace& trace) {
  const auto passes = beginnings(trace);
  struct Sums {
    std::set<std::ptrdiff_t> after;  ///< so many passes
    std::set<int32_t> steps;
  };
  std::map<StageOfRank, Sums> all;
  for (const RunSlice& slice : trace.slices) {
    if (slice.kind != RunSliceKind::data_sum) continue;
    const auto own = passes.find({slice.rank, slice.stage});
    if (own == passes.end()) continue;
    Sums& sums = all[{slice.rank, slice.stage}];
    sums.after.insert(std::ranges::upper_bound(own->second, slice.start) - own->second.begin());
    sums.steps.insert(slice.step);
  }
  return std::ranges::any_of(
      all, [](const auto& one) { return one.second.after.size() > one.second.steps.size(); });
}

bool gathers_beside_backwards(const RunTrace& trace) {
  std::map<uint32_t, TimeRanges> backwards;
  for (const RunSlice& slice : trace.slices)
    if (goes_back(slice)) backwards[slice.rank].add(slice.start, slice.end);
  for (auto& [rank, ranges] : backwards) ranges.join();
  return std::ranges::any_of(trace.slices, [&](const RunSlice& slice) {
    if (slice.kind != RunSliceKind::data_gather) return false;
    const auto own = backwards.find(slice.rank);
    return own != backwards.end() && own->second.within(slice.start, slice.end) > Time{};
  });
}

}  // namespace

bool sums_hold_passes(const RunTrace& trace) {
  return sums_several_times(trace) || gathers_beside_backwards(trace);
}

}  // namespace pipewright::diagnose
