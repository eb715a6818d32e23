#include "diagnose/exposed_reductions.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "diagnose/measured_job.hpp"

namespace pipewright::diagnose {
namespace {

using Stage = std::pair<int32_t, int32_t>;  // its step and number
using ReductionsOfRanks =
    std::map<int32_t, std::vector<size_t>>;  // by data rank, reductions in order

/// When each rank has ended its last pass, by step, stage and data rank.
using PassEnds = std::map<std::tuple<int32_t, int32_t, int32_t>, Time>;

std::tuple<int32_t, int32_t, int32_t> place_of(const TracedOperation& one) {
  return {one.step, one.stage, one.dp_rank};
}

PassEnds ends_of_passes(const std::vector<TracedOperation>& operations) {
  PassEnds ends;
  for (const TracedOperation& one : operations) {
    if (!computes(one.kind)) continue;
    const auto [end, fresh] = ends.emplace(place_of(one), one.end());
    if (!fresh) end->second = std::max(end->second, one.end());
  }
  return ends;
}

void begin_at(Time begin, TracedOperation& one) {
  if (one.start >= begin) return;
  const Time later = begin - one.start;
  one.start = begin;
  one.duration -= later;
  one.ahead += later;
  one.since_begin += later;
}

}  // namespace

void leave_exposed(std::vector<TracedOperation>& operations) {
  const PassEnds ends = ends_of_passes(operations);
  std::map<Stage, ReductionsOfRanks> stages;
  std::vector<bool> hidden(operations.size());
  for (size_t i = 0; i < operations.size(); ++i) {
    TracedOperation& one = operations[i];
    if (one.kind != OperationKind::grads_reduce_scatter) continue;
    std::vector<size_t>& own = stages[{one.step, one.stage}][one.dp_rank];
    const auto end = ends.find(place_of(one));
    hidden[i] = end != ends.end() && one.end() <= end->second;
    if (hidden[i]) continue;
    if (end != ends.end()) begin_at(end->second, one);
    own.push_back(i);
  }
  for (auto& [stage, ranks] : stages) {
    const size_t fewest = std::ranges::min_element(ranks, {}, [](const auto& rank) {
                            return rank.second.size();
                          })->second.size();
    for (auto& [rank, own] : ranks) {
      std::ranges::stable_sort(own, {}, [&](size_t i) { return operations[i].start; });
      for (size_t k = 0; k + fewest < own.size(); ++k) hidden[own[k]] = true;
    }
  }
  size_t next = 0;
  std::erase_if(operations, [&](const TracedOperation&) { return hidden[next++]; });
}

}  // namespace pipewright::diagnose
