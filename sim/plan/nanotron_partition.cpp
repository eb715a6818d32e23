#include "plan/nanotron_partition.hpp"

#include "workload/model/model.hpp"

namespace pipewright {

std::vector<int64_t> nanotron_counts(const TransformerShape& shape, int stages) {
  const auto hidden = static_cast<double>(shape.hidden);
  const double block = 4 * hidden * hidden + 3 * static_cast<double>(shape.ffn) * hidden;
  const auto layers = static_cast<double>(shape.layers);
  const double all = layers * block + static_cast<double>(shape.ends.vocabulary) * hidden;
  std::vector<int64_t> counts(static_cast<size_t>(stages), 0);
  size_t stage = 0;
  for (int64_t layer = 1; layer <= shape.layers; ++layer) {
    ++counts[stage];
    const double share = all * static_cast<double>(stage + 1) / stages;
    const bool full = static_cast<double>(layer) * block > share;
    if (full && stage + 1 < counts.size()) ++stage;
  }
  return counts;
}

PartitionOptions settled_partition(const Experiment& e, int stages) {
  const bool nanotron = e.framework == Framework::nanotron && !e.gives("partition") && stages > 1;
  if (!nanotron || !e.meshes.empty()) return e.partition;
  return {PartitionOptions::Kind::counts, nanotron_counts(e.model_or_fail().transformer, stages)};
}

}  // namespace pipewright
