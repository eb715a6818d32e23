// The layers of a model as the stages of a pipeline, and what each stage takes.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "estimate/pipeline_shape.hpp"
#include "plan/layer_table.hpp"
#include "plan/partition.hpp"

namespace pipewright {

/// Times of one micro-batch on one stage. `certain` ends with the last kernel, and waits for no
/// host. Those of before and after are on the quickest device of the rank, others on the slowest.
struct StageTimes {
  Time both, certain, certain_forward, certain_input;
  Time backward, weight;  ///< the latter: of the former, the gradients of weights
  Bytes stash;
};

struct PipelineCut {
  Partition partition;
  std::vector<StageTimes> stages;
  Time largest;
};

/// Returns the devices of a rank.
std::vector<int32_t> devices_of(const LayerTable& table, const PipelineShape& shape, int rank);

/// Cuts over one table, which outlives it. Each is found once. Not for several threads at once.
class PipelineCuts {
 public:
  explicit PipelineCuts(const LayerTable& table);

  /// Throws Misfit for a partition that cannot be.
  const PipelineCut& of(const PipelineShape& shape);

 private:
  using Kinds = std::set<int32_t>;       // of the devices of a rank
  using RankKinds = std::vector<Kinds>;  // by rank; empty where all devices are alike
  // Ranks, chunks, balanced, gradients of weights in a pass of their own.
  using Key = std::tuple<int, int, bool, bool, RankKinds>;

  PipelineCut cut(const PipelineShape& shape, const RankKinds& kinds) const;
  RankKinds rank_kinds(const PipelineShape& shape) const;
  Partition partition(const PipelineShape& shape, const RankKinds& kinds) const;
  StageTimes between(int first, int end, int32_t kind) const;
  StageTimes between(int first, int end, const Kinds& kinds) const;
  StageTimes stage_of(const PipelineShape& shape, const Partition& partition, int k,
                      const Kinds& kinds) const;
  Time cost_of(int layer, const Kinds& kinds) const;
  std::array<HostLoad, 3> host_loads(int first, int end, int32_t kind) const;
  Time gather_before(int layer, int32_t device) const;

  const LayerTable& table_;
  std::vector<std::vector<LayerTimes>> before_;  // by kind: sums of the layers before each
  std::map<Key, std::unique_ptr<const PipelineCut>> cuts_;
};

}  // namespace pipewright
