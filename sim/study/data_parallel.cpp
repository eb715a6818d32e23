#include "study/data_parallel.hpp"

#include <fmt/format.h>

#include "plan/buckets.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {

int shard_degree(const Experiment& e, const Mesh& mesh) {
  if (e.parallel.zero < 3 || mesh.replicas() == 1) return 0;
  const int shard = e.parallel.shard > 0 ? e.parallel.shard : mesh.replicas();
  if (mesh.replicas() % shard == 0 && shard % mesh.context == 0) return shard;
  e.at("parallel")
      .misfit(
          fmt::format("shard {} must divide data x context = {} and be a multiple of context {}",
                      shard, mesh.replicas(), mesh.context));
}

void require_shardable(const Experiment& e, const Grid& grid, const schedule::Schedule& schedule) {
  if (grid.meshes.front().shard == 0) return;
  std::vector<int> holder(static_cast<size_t>(schedule.stages), -1);
  bool fits = schedule.synchronous && !schedule.parallel_passes;
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    for (const schedule::Action& a : schedule.order[rank]) {
      int& held_by = holder[static_cast<size_t>(a.stage)];
      fits = fits && (held_by < 0 || held_by == rank);
      held_by = rank;
    }
  }
  if (e.overlap.tensor != TensorOverlap::none)
    e.at("overlap").misfit("overlap.tensor: domino and chunked need whole weights, not zero: 3");
  if (!fits)
    e.at("schedule").misfit("zero: 3 needs a synchronous schedule with one copy of each stage");
}

bool DataParallel::reshards() const {
  return e_.parallel.reshard.value_or(e_.parallel.pipeline == 1);
}

/// PyTorch's pipeline stages synchronize at the last micro-batch of a step.
bool DataParallel::keeps() const { return !reshards() && e_.parallel.pipeline > 1; }

std::optional<Bytes> DataParallel::bucket_size() const {
  if (!e_.overlap.data || mesh_.replicas() == 1) return std::nullopt;
  if (e_.overlap.bucket) return e_.overlap.bucket;
  return has_tokens_ ? megatron_bucket(mesh_.replicas(), e_.gradients) : ddp_bucket;
}

StageCut DataParallel::cut(std::span<const Layer> stage) const {
  if (mesh_.shard > 0)
    return {.unit = weight_units(stage, activation_dtype(e_.precision), e_.gradients).of_layer};
  return {.bucket = gradient_buckets(stage, e_.gradients, bucket_size()).of_layer};
}

StateOptions DataParallel::state(int weight_versions) const {
  StateOptions state;
  state.precision = e_.precision;
  state.gradients = e_.gradients;
  if (const config::Value* optimizer = e_.document.find("optimizer"))
    state.optimizer = read_optimizer(*optimizer);
  state.zero = e_.parallel.zero == 3 && mesh_.shard == 0 ? 0 : e_.parallel.zero;
  state.shards = mesh_.shard > 0 ? mesh_.shard : mesh_.replicas();
  state.expert_shards = std::max<int64_t>(1, state.shards * mesh_.tensor / mesh_.expert);
  state.whole_weights = !reshards();
  state.whole_gradients = keeps();
  state.prefetch = e_.overlap.data ? e_.parallel.prefetch : 0;
  state.weight_versions = weight_versions;
  return state;
}

std::vector<CollectiveWork> DataParallel::gathered(std::span<const Layer> stage) const {
  const GradientBytes weights = gradient_bytes(stage, activation_dtype(e_.precision));
  const Bytes experts = mesh_.expert > 1 ? weights.experts : Bytes{};
  std::vector<CollectiveWork> gathered;
  for (const auto& [axis, bytes] :
       {std::pair{Axis::data, weights.all - experts}, std::pair{Axis::expert_copies, experts}})
    if (bytes > Bytes{}) gathered.push_back({CollectiveKind::all_gather, axis, bytes});
  return gathered;
}

UpdateWork DataParallel::update(std::span<const Layer> stage) const {
  UpdateWork update{.kernels = optimizer_step(stage, state(1))};
  if (mesh_.shard > 0) return update;
  const bool sharded = e_.parallel.zero > 0;
  const CollectiveKind kind = sharded ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
  const bool apart = mesh_.expert > 1;  // devices of an expert group hold different experts
  const Buckets buckets = gradient_buckets(stage, e_.gradients, bucket_size());
  for (size_t k = 0; k < buckets.bytes.size(); ++k) {
    const Bytes experts = apart ? buckets.experts[k] : Bytes{};
    update.reduce.push_back({kind, Axis::data, buckets.bytes[k] - experts});
    if (apart) update.reduce_experts.push_back({kind, Axis::expert_copies, experts});
  }
  if (sharded) update.gather = gathered(stage);
  return update;
}

ShardedWeights DataParallel::sharded() const {
  return {.reshard = reshards(), .keep = keeps(), .prefetch = e_.parallel.prefetch};
}

ShardedWeights::Stage DataParallel::sharded(std::span<const Layer> stage) const {
  WeightUnits units = weight_units(stage, activation_dtype(e_.precision), e_.gradients);
  return {std::move(units.weights), std::move(units.gradients)};
}

}  // namespace pipewright
