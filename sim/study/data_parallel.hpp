// What the replicas of a stage exchange, and what each holds.
#pragma once

#include "plan/memory.hpp"
#include "study/experiment.hpp"
#include "study/stage_layers.hpp"

namespace pipewright {

/// How many replicas ZeRO 3 cuts weights over; 0: none. Throws Misfit where `parallel.shard` does
/// not fit the mesh.
int shard_degree(const Experiment& experiment, const Mesh& mesh);

/// Throws Misfit where ZeRO 3 cannot gather weights for a schedule: passes must run one after the
/// other, of stages that one rank holds, on one version of the weights.
void require_shardable(const Experiment& experiment, const Grid& grid,
                       const schedule::Schedule& schedule);

class DataParallel {
 public:
  /// `has_tokens`: the model is no convolutional network.
  DataParallel(const Experiment& experiment, const Mesh& mesh, bool has_tokens)
      : e_(experiment), mesh_(mesh), has_tokens_(has_tokens) {}

  StageCut cut(std::span<const Layer> stage) const;
  StateOptions state(int weight_versions) const;
  UpdateWork update(std::span<const Layer> stage) const;
  /// Without its stages; empty where weights are whole.
  ShardedWeights sharded() const;
  ShardedWeights::Stage sharded(std::span<const Layer> stage) const;

 private:
  std::vector<CollectiveWork> gathered(std::span<const Layer> stage) const;
  bool reshards() const;
  bool keeps() const;
  std::optional<Bytes> bucket_size() const;

  const Experiment& e_;
  const Mesh& mesh_;
  bool has_tokens_;
};

}  // namespace pipewright
