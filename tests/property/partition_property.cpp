// The balanced partition against all partitions.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "plan/partition.hpp"

namespace pipewright {
namespace {

int64_t sum(const std::vector<Time>& costs, int first, int last) {
  int64_t total = 0;
  for (int i = first; i < last; ++i) total += costs[static_cast<size_t>(i)].ps;
  return total;
}

/// The least bottleneck of cutting costs[first..] into `stages` nonempty parts, by trying all.
int64_t brute_force(const std::vector<Time>& costs, int first, int stages) {
  const int layers = static_cast<int>(costs.size());
  if (stages == 1) return sum(costs, first, layers);
  int64_t best = INT64_MAX;
  for (int cut = first + 1; cut <= layers - (stages - 1); ++cut)
    best = std::min(best, std::max(sum(costs, first, cut), brute_force(costs, cut, stages - 1)));
  return best;
}

RC_GTEST_PROP(BalancedPartition, is_contiguous_nonempty_and_optimal, ()) {
  std::vector<Time> costs;
  const int layers = *rc::gen::inRange(1, 11);
  for (int i = 0; i < layers; ++i)
    costs.push_back(picoseconds(*rc::gen::inRange(0, *rc::gen::element(2, 10, 1000))));
  const int stages = *rc::gen::inRange(1, layers + 1);
  const Partition partition = balanced_partition(costs, stages, {});
  RC_ASSERT(partition.stages() == stages);
  RC_ASSERT(partition.starts.front() == 0 && partition.starts.back() == layers);
  int64_t bottleneck = 0;
  for (int k = 0; k < stages; ++k) {
    RC_ASSERT(partition.starts[k] < partition.starts[k + 1]);
    bottleneck = std::max(bottleneck, sum(costs, partition.starts[k], partition.starts[k + 1]));
  }
  RC_ASSERT(bottleneck == brute_force(costs, 0, stages));
}

/// The same with costs by stage.
int64_t brute_force(const std::vector<std::vector<Time>>& costs, int stage, int first) {
  const auto stages = static_cast<int>(costs.size());
  const auto layers = static_cast<int>(costs.front().size());
  if (stage == stages - 1) return sum(costs.back(), first, layers);
  int64_t best = INT64_MAX;
  for (int cut = first + 1; cut <= layers - (stages - 1 - stage); ++cut)
    best = std::min(best, std::max(sum(costs[static_cast<size_t>(stage)], first, cut),
                                   brute_force(costs, stage + 1, cut)));
  return best;
}

RC_GTEST_PROP(BalancedPartition, is_optimal_on_unlike_devices, ()) {
  const int layers = *rc::gen::inRange(1, 9);
  const int stages = *rc::gen::inRange(1, layers + 1);
  std::vector<std::vector<Time>> costs(static_cast<size_t>(stages));
  for (std::vector<Time>& stage : costs)
    for (int i = 0; i < layers; ++i) stage.push_back(picoseconds(*rc::gen::inRange(0, 100)));
  const Partition partition = balanced_partition(costs, {});
  int64_t bottleneck = 0;
  for (int k = 0; k < stages; ++k) {
    RC_ASSERT(partition.starts[k] < partition.starts[k + 1]);
    bottleneck = std::max(bottleneck, sum(costs[static_cast<size_t>(k)], partition.starts[k],
                                          partition.starts[k + 1]));
  }
  RC_ASSERT(partition.starts.front() == 0 && partition.starts.back() == layers);
  RC_ASSERT(bottleneck == brute_force(costs, 0, 0));
}

}  // namespace
}  // namespace pipewright
