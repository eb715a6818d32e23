// Data parallelism: what the replicas of a stage exchange, and what each holds.
#pragma once

#include "experiment/experiment.hpp"
#include "machine/machine.hpp"
#include "plan/buckets.hpp"
#include "plan/memory.hpp"
#include "plan/stage_layers.hpp"

namespace pipewright {

/// Returns how many replicas ZeRO 3 cuts weights over; 0: none. Throws Misfit where
/// `parallel.shard` does not fit the mesh.
int shard_degree(const Experiment& experiment, const Mesh& mesh);

/// Tells whether weights are gathered after a step beside the next forward pass (overlap.weights).
bool gathers_ahead(const Experiment& experiment, const Mesh& mesh);

/// Settles what `experiment` leaves to its grid: over how many replicas ZeRO 3 cuts weights, and
/// how large a bucket of gradients is. Where stages' meshes have unlike replicas no single value
/// says that, and the keys stay open. `has_tokens`: the model is no convolutional network.
void settle_reduction(Experiment& experiment, const Grid& grid, bool has_tokens);

/// Throws Misfit where weights cannot be gathered for the passes of a schedule: these must run one
/// after the other, of stages that one rank holds, on one version of the weights.
void require_shardable(const Experiment& experiment, const Grid& grid,
                       const schedule::Schedule& schedule);

/// Throws where what the experiment offloads cannot be copied to and fro for its schedule, or where
/// its cluster does not say how.
void require_offloadable(const Experiment& experiment, const Grid& grid, const Machine& machine,
                         const schedule::Schedule& schedule);

/// Returns what passes of `stage` fetch from the host.
OffloadedState::Stage offloaded(const Experiment& experiment, std::span<const Layer> stage);

class DataParallel {
 public:
  /// `has_tokens`: the model is no convolutional network.
  /// `host_rate`: of an optimizer on the host; see Machine.
  DataParallel(const Experiment& experiment, const Mesh& mesh, bool has_tokens,
               std::optional<Bandwidth> host_rate)
      : e_(experiment), mesh_(mesh), has_tokens_(has_tokens), host_rate_(host_rate) {}

  StageCut cut(std::span<const Layer> stage) const;
  StateOptions state(int weight_versions) const;
  UpdateWork update(std::span<const Layer> stage) const;
  /// Reduces gradients after every backward pass; else update() says when.
  bool scatters() const;
  /// Returns the sharding without its stages; empty where weights and gradients are whole.
  ShardedWeights sharded() const;
  ShardedWeights::Stage sharded(std::span<const Layer> stage) const;

 private:
  std::vector<CollectiveWork> gathered(std::span<const Layer> stage) const;
  void step_on_host(std::span<const Layer> stage, UpdateWork& update) const;
  void reduce_buckets(std::span<const Layer> stage, UpdateWork& update) const;
  bool reshards() const;
  bool keeps() const;
  bool has_expert_copies() const;
  bool copies_gradients() const;
  Work bucket_copies(std::span<const Layer> stage) const;
  std::vector<Bytes> pieces(const WeightUnits& units) const;
  ShardedWeights::Stage apart(WeightUnits units) const;
  ShardedWeights::Stage narrowed(ShardedWeights::Stage parts) const;
  int prefetch() const;
  std::optional<Bytes> bucket_size() const;

  const Experiment& e_;
  const Mesh& mesh_;
  bool has_tokens_;
  std::optional<Bandwidth> host_rate_;
};

}  // namespace pipewright
