#include "plan/data_parallel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/required.hpp"
#include "experiment/derived.hpp"
#include "experiment/training_state.hpp"
#include "plan/buckets.hpp"
#include "plan/muon.hpp"
#include "plan/optimizer_step.hpp"
#include "plan/preconditioners.hpp"
#include "plan/workload_of.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

/// Returns what the experiment says, or what the framework does where it says nothing.
Bytes bucket_of(const Experiment& e, const Mesh& mesh, bool has_tokens) {
  if (e.data.bucket) return *e.data.bucket;
  const bool by_ddp = e.framework == Framework::torch && e.parallel.zero < 2;
  if (by_ddp || e.framework == Framework::nanotron) return ddp_bucket;
  return has_tokens ? megatron_bucket(mesh.site_replicas(), e.gradients) : ddp_bucket;
}

/// Bytes of a weight that is gathered. Scales of 8-bit weights are left out.
GatheredBytes gathered_bytes(const Experiment& e) {
  const double held = element_bytes(weight_dtype(e));
  // Blocks of 32 are scaled anew for each layout, so that 16 bits are gathered between steps
  // (Megatron-Core, core/transformer/moe/README.md: "except MXFP8").
  const bool casts_late = e.scaling == Scaling::mxfp8 && e.parallel.zero < 3;
  const double narrow = casts_late ? held : stored_bytes(e.weights, held);
  switch (e.parallel.gathered) {
    case GatheredWeights::as_held:
      return {held, held, narrow};
    case GatheredWeights::fp8:
      return {1, held, std::min(1.0, narrow)};
    case GatheredWeights::int8:
      return {1, 1, std::min(1.0, narrow)};
  }
  return {held, held, narrow};
}

/// Bytes of those weights of a layer that a step changes, of which there are `stepped`.
LayerBytes stepped_bytes(const Experiment& e, const Layer& layer, double stepped) {
  if (!layer.trained) return bytes_on_way(layer, stepped, gathered_bytes(e));
  const double held = element_bytes(weight_dtype(e));
  return {whole_bytes(held * stepped), whole_bytes(held * layer.trained_experts)};
}

/// Weights that are gathered together ahead of a forward pass, in model order.
struct GatheredUnits {
  std::vector<int> of_layer;
  ShardedWeights::Stage bytes;
};

/// Returns a unit for each bucket of gradients, as Megatron-LM has it, or for each layer where what
/// passes have on the host is fetched layer by layer.
GatheredUnits gathered_units(const Experiment& e, const Mesh& mesh, std::span<const Layer> stage,
                             Bytes bucket) {
  const Buckets buckets =
      gradient_buckets(stage, e.gradients, e.offload.from_passes() ? Bytes{1} : bucket);
  GatheredUnits units;
  const int last = std::max(0, static_cast<int>(buckets.bytes.size()) - 1);
  for (const int b : buckets.of_layer) units.of_layer.push_back(last - b);
  units.bytes.weights.resize(buckets.bytes.size());
  units.bytes.experts.resize(buckets.bytes.size());
  const std::vector<double> stepped = trained_parameters(stage);
  for (size_t k = 0; k < stage.size() && !buckets.bytes.empty(); ++k) {
    const LayerBytes bytes = stepped_bytes(e, stage[k], stepped[k]);
    const Bytes experts = mesh.expert > 1 ? bytes.experts : Bytes{};
    const auto unit = static_cast<size_t>(units.of_layer[k]);
    units.bytes.weights[unit] += bytes.all - experts;
    units.bytes.experts[unit] += experts;
  }
  return units;
}

/// Throws Misfit for weights in fp8 that products do not read so, or that are their own master.
void require_stored_weights(const Experiment& e) {
  if (e.weights != StoredWeights::fp8) return;
  if (e.precision != DType::fp8)
    e.misfit("weights", "weights: fp8 is about products in fp8: precision must be fp8");
  if (e.master_weights != MasterWeights::fp32)
    e.misfit("weights", "weights: fp8 are cast from master weights: master_weights must be fp32");
}

}  // namespace

bool gathers_ahead(const Experiment& e, const Mesh& mesh) {
  const bool gathers = e.parallel.zero == 1 || e.parallel.zero == 2;
  return e.overlap.weights && gathers && mesh.site_replicas() > 1;
}

void settle_reduction(Experiment& e, const Grid& grid, bool has_tokens) {
  const Mesh& mesh = grid.meshes.front();
  const auto alike = [&](const Mesh& other) { return other.replicas() == mesh.replicas(); };
  if (!std::ranges::all_of(grid.meshes, alike)) return;
  if (mesh.shard > 1) e.parallel.shard = mesh.shard;
  e.data.bucket = bucket_of(e, mesh, has_tokens);
}

void require_shardable(const Experiment& e, const Grid& grid, const schedule::Schedule& schedule) {
  if (steps_matrices(e.optimizer) && (e.parallel.zero >= 2 || e.offload.optimizer))
    e.misfit("optimizer",
             fmt::format("optimizer: {} steps whole matrices on devices: zero must be 0 or 1, "
                         "without offload of the optimizer",
                         choices::optimizer[static_cast<size_t>(e.optimizer)]));
  require_stored_weights(e);
  if (e.overlap.weights && e.parallel.zero == 3)
    e.misfit("overlap",
             "overlap.weights: zero: 3 gathers weights before every pass; overlap.data and "
             "parallel.prefetch say how that hides");
  const bool cuts = grid.meshes.front().shard > 0;
  const auto ahead = [&](const Mesh& mesh) { return gathers_ahead(e, mesh); };
  if (!cuts && std::ranges::none_of(grid.meshes, ahead)) return;
  std::vector<int> holder(static_cast<size_t>(schedule.stages), -1);
  bool fits = schedule.synchronous && !schedule.parallel_passes;
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    for (const schedule::Action& a : schedule.order[rank]) {
      int& held_by = holder[static_cast<size_t>(a.stage)];
      fits = fits && (held_by < 0 || held_by == rank);
      held_by = rank;
    }
  }
  if (cuts && e.overlap.tensor.kind != TensorOverlap::none)
    e.misfit("overlap", "overlap.tensor: domino and chunked need whole weights, not zero: 3");
  if (!fits)
    e.misfit("schedule", fmt::format("{} needs a synchronous schedule with one copy of each stage",
                                     cuts ? "zero: 3" : "overlap.weights"));
}

void require_offloadable(const Experiment& e, const Grid& grid, const Machine& machine,
                         const schedule::Schedule& schedule) {
  if (!e.offload.any()) return;
  if (e.meshes.reshards())
    e.misfit("offload",
             "offload: stages with meshes of their own ('strategy') keep all on their devices");
  const auto has_host = [&](const Mesh& mesh) { return machine.has_hosts(mesh.devices); };
  const auto has_rate = [&](const Mesh& mesh) {
    return machine.host_step_rate(mesh.devices).has_value();
  };
  if (!std::ranges::all_of(grid.meshes, has_host))
    e.fail("offload",
           "offload: the cluster's devices have no host; give a node in place of a device");
  if (e.offload.optimizer && !std::ranges::all_of(grid.meshes, has_rate))
    e.fail("offload",
           "offload: the cluster's nodes do not say how fast their hosts are, such as 'host: "
           "{memory_bandwidth: 400 GB/s}'");
  if (e.offload.weights && e.parallel.zero > 0)
    e.misfit("offload", "offload: weights are kept whole, with zero: 0");
  if (!e.offload.from_passes()) return;
  if (e.overlap.tensor.kind != TensorOverlap::none)
    e.misfit("overlap", "overlap.tensor: domino and chunked find all on the device, no offload");
  const bool fits = schedule.synchronous && !schedule.parallel_passes && schedule.slices == 1 &&
                    schedule.evictions.empty();
  if (!fits)
    e.misfit("schedule",
             "offload of weights or activations needs a synchronous schedule of whole "
             "micro-batches");
}

OffloadedState::Stage offloaded(const Experiment& e, std::span<const Layer> stage) {
  OffloadedState::Stage state;
  WeightUnits units = weight_units(stage, weight_dtype(e), e.gradients);
  if (e.offload.weights) state.weights = std::move(units.weights);
  const bool leave = e.offload.activations || e.offload.inputs.any();
  if (!leave || stage.empty()) return state;
  state.activations.resize(static_cast<size_t>(units.of_layer.back()) + 1);
  for (size_t k = 0; k < stage.size(); ++k)
    state.activations[static_cast<size_t>(units.of_layer[k])] +=
        e.offload.activations ? stage[k].stash : stage[k].leaves;
  return state;
}

bool DataParallel::reshards() const {
  return e_.parallel.reshard.value_or(e_.parallel.pipeline == 1);
}

/// PyTorch's pipeline stages synchronize at the last micro-batch of a step.
bool DataParallel::keeps() const { return !reshards() && e_.parallel.pipeline > 1; }

/// Gradients that are cut are reduced after every backward pass, or they would not be: DeepSpeed's
/// stage 2 (runtime/zero/stage_1_and_2.py, reduce_ipg_grads) and Megatron-FSDP's optim_grads do so.
/// Not modelled beside passes that are cut for overlapped tensor collectives: once a step there.
bool DataParallel::scatters() const {
  if (mesh_.shard > 0) return true;
  return e_.parallel.zero == 2 && !keeps() && mesh_.site_replicas() > 1 &&
         mesh_.tensor_grid.is_line() &&
         (mesh_.tensor == 1 || e_.overlap.tensor.kind == TensorOverlap::none);
}

/// Tells whether several devices of those that weights are cut over hold the same routed experts,
/// but not all that hold the same rest.
bool DataParallel::has_expert_copies() const {
  const int replicas = mesh_.shard > 0 ? mesh_.shard : mesh_.site_replicas();
  return replicas * mesh_.tensor > mesh_.expert;
}

int DataParallel::prefetch() const { return gathers_late(e_) ? 0 : e_.parallel.prefetch; }

std::optional<Bytes> DataParallel::bucket_size() const {
  const bool sums = mesh_.site_replicas() > 1 || mesh_.tensor_grid.kind == TensorKind::signatures;
  const bool waits = !sums && !e_.offload.optimizer;
  if (!e_.overlap.data || waits || e_.offload.from_passes()) return std::nullopt;
  return bucket_of(e_, mesh_, has_tokens_);
}

StageCut DataParallel::cut(std::span<const Layer> stage) const {
  const bool ahead = gathers_ahead(e_, mesh_);
  if (scatters() || (e_.offload.from_passes() && !ahead))
    return {.unit = weight_units(stage, weight_dtype(e_), e_.gradients).of_layer};
  StageCut cut{.bucket = gradient_buckets(stage, e_.gradients, bucket_size()).of_layer};
  if (ahead)
    cut.unit = gathered_units(e_, mesh_, stage, bucket_of(e_, mesh_, has_tokens_)).of_layer;
  return cut;
}

StateOptions DataParallel::state(int weight_versions) const {
  StateOptions state;
  state.framework = e_.framework;
  state.precision = e_.precision;
  state.autocast = e_.autocast;
  state.gradients = e_.gradients;
  state.optimizer = e_.optimizer;
  state.moments = e_.moments;
  state.master_weights = e_.master_weights;
  state.stored = e_.weights;
  state.preconditioner = preconditioner_shape(e_);
  state.update = update_kernels(e_);
  state.zero = e_.parallel.zero == 3 && mesh_.shard == 0 ? 0 : e_.parallel.zero;
  state.shards = mesh_.shard > 0 ? mesh_.shard : mesh_.site_replicas();
  state.expert_shards = std::max<int64_t>(1, state.shards * mesh_.tensor / mesh_.expert);
  state.whole_weights = !reshards();
  state.whole_gradients = keeps();
  // What comes from the host is ahead whether or not replicas' collectives are.
  state.prefetch = e_.overlap.data || e_.offload.weights ? prefetch() : 0;
  state.optimizer_on_host = e_.offload.optimizer;
  state.weights_on_host = e_.offload.weights;
  state.weight_versions = weight_versions;
  state.second_shards = e_.parallel.secondary > 0 ? mesh_.near : 0;
  state.second_experts = mesh_.expert == 1;
  return state;
}

std::vector<CollectiveWork> DataParallel::gathered(std::span<const Layer> stage) const {
  LayerBytes weights;
  const std::vector<double> stepped = trained_parameters(stage);
  for (size_t k = 0; k < stage.size(); ++k) {
    const LayerBytes bytes = stepped_bytes(e_, stage[k], stepped[k]);
    weights.all += bytes.all;
    weights.experts += bytes.experts;
  }
  const Bytes experts = mesh_.expert > 1 ? weights.experts : Bytes{};
  std::vector<CollectiveWork> gathered;
  for (const auto& [axis, bytes] :
       {std::pair{Axis::data, weights.all - experts}, std::pair{Axis::expert_copies, experts}})
    if (bytes > Bytes{}) gathered.push_back({CollectiveKind::all_gather, axis, bytes});
  return gathered;
}

/// Moves the step to the host. Only what update() has of the norm of the gradients and of their
/// zeroing stays on the device.
void DataParallel::step_on_host(std::span<const Layer> stage, UpdateWork& update) const {
  const Bandwidth rate = required(host_rate_, "a host that steps says how fast it is");
  const Bytes gradients = update.kernels.front().read;
  const Work on_host = update.kernels[1];
  update.kernels.erase(update.kernels.begin() + 1);
  const double narrower = element_bytes(weight_dtype(e_)) / element_bytes(e_.gradients);
  const double weights = e_.offload.weights ? 0 : static_cast<double>(gradients.count) * narrower;
  const std::vector<Bytes> parts =
      gradient_buckets(stage, e_.gradients, bucket_of(e_, mesh_, has_tokens_)).bytes;
  double all = 0;
  for (const Bytes part : parts) all += static_cast<double>(part.count);
  for (const Bytes part : parts) {
    const double share = static_cast<double>(part.count) / all;
    const auto bytes = static_cast<double>((on_host.read + on_host.written).count);
    update.on_host.push_back(
        {.gradients = whole_bytes(share * static_cast<double>(gradients.count)),
         .weights = whole_bytes(share * weights),
         .step = seconds(share * bytes / rate.bytes_per_s)});
  }
}

/// Adds what replicas reduce before the step, bucket by bucket.
void DataParallel::reduce_buckets(std::span<const Layer> stage, UpdateWork& update) const {
  // Nanotron's ZeRO 1 reduces all gradients everywhere (optim/gradient_accumulator.py).
  const bool cut = e_.parallel.zero > 0 && e_.framework != Framework::nanotron;
  const CollectiveKind kind = cut ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
  const bool apart = mesh_.expert > 1;  // devices of an expert group hold different experts
  const Buckets buckets = gradient_buckets(stage, e_.gradients, bucket_size());
  for (size_t k = 0; k < buckets.bytes.size(); ++k) {
    const Bytes experts = apart ? buckets.experts[k] : Bytes{};
    update.reduce.push_back({kind, Axis::data, buckets.bytes[k] - experts});
    if (apart) update.reduce_experts.push_back({kind, Axis::expert_copies, experts});
    for (const auto& [axis, bytes] : buckets.over_sides[k])
      update.reduce_over_sides.push_back({k, {CollectiveKind::all_reduce, axis, bytes}});
  }
}

bool DataParallel::copies_gradients() const {
  return e_.framework == Framework::torch && e_.parallel.zero < 2 && mesh_.site_replicas() > 1;
}

/// DDP copies gradients into buckets and back (torch/csrc/distributed/c10d/reducer.cpp, with
/// gradient_as_bucket_view off), once a step. Here both copies stand at the step.
Work DataParallel::bucket_copies(std::span<const Layer> stage) const {
  const Bytes copied = 2 * gradient_bytes(stage, e_.gradients).all;
  return {.kernel = Kernel::memcpy, .dtype = e_.gradients, .read = copied, .written = copied};
}

UpdateWork DataParallel::update(std::span<const Layer> stage) const {
  UpdateWork update{.kernels = optimizer_step(stage, state(1))};
  if (e_.offload.optimizer) step_on_host(stage, update);
  if (e_.pause > Time{}) update.kernels.push_back({.kernel = Kernel::fixed, .fixed = e_.pause});
  if (mesh_.shard > 0) return update;
  if (!scatters()) reduce_buckets(stage, update);
  if (copies_gradients()) update.kernels.push_back(bucket_copies(stage));
  if (e_.parallel.zero > 0 && !gathers_ahead(e_, mesh_)) update.gather = gathered(stage);
  return update;
}

ShardedWeights DataParallel::sharded() const {
  return {.stepped = mesh_.shard == 0,
          .scatter = scatters(),
          .reshard = reshards(),
          .keep = keeps(),
          .near_weights = e_.parallel.secondary > 0 && mesh_.near > 0,
          .near_gradients = e_.parallel.scattered != ScatteredGradients::as_held && mesh_.near > 0,
          .prefetch = prefetch()};
}

/// Returns what a device holds of the gradients of each part once they are cut.
std::vector<Bytes> DataParallel::pieces(const WeightUnits& units) const {
  const auto piece = [](Bytes whole, int devices) {
    return Bytes{(whole.count + devices - 1) / devices};
  };
  const bool spreads = mesh_.expert > 1;
  std::vector<Bytes> pieces;
  for (size_t k = 0; k < units.gradients.size(); ++k) {
    const Bytes experts = spreads ? units.expert_gradients[k] : Bytes{};
    pieces.push_back(piece(units.gradients[k] - experts, mesh_.shard));
    if (spreads) pieces.back() += piece(experts, mesh_.shard * mesh_.tensor / mesh_.expert);
  }
  return pieces;
}

/// Sets routed experts apart, which fewer devices hold.
ShardedWeights::Stage DataParallel::apart(WeightUnits units) const {
  ShardedWeights::Stage parts;
  if (mesh_.shard > 0 && mesh_.shard < mesh_.site_replicas()) parts.pieces = pieces(units);
  parts.weights = std::move(units.weights);
  parts.gradients = std::move(units.gradients);
  const std::vector<Bytes> none(parts.weights.size());
  parts.experts = parts.expert_gradients = none;
  if (mesh_.expert > 1) {
    for (size_t k = 0; k < none.size(); ++k) {
      parts.weights[k] = parts.weights[k] - units.experts[k];
      parts.gradients[k] = parts.gradients[k] - units.expert_gradients[k];
    }
    if (has_expert_copies()) {
      parts.experts = std::move(units.experts);
      parts.expert_gradients = std::move(units.expert_gradients);
    }
  }
  // Else ZeRO 2 gathers weights at the step (UpdateWork).
  if (mesh_.shard == 0 && !gathers_ahead(e_, mesh_)) parts.weights = parts.experts = none;
  return parts;
}

/// Makes gradients the 4 bits that they are exchanged in, whose scales are left out.
ShardedWeights::Stage DataParallel::narrowed(ShardedWeights::Stage parts) const {
  if (e_.parallel.scattered == ScatteredGradients::as_held) return parts;
  for (Bytes& gradient : parts.gradients)
    gradient = whole_bytes(static_cast<double>(gradient.count) / element_bytes(e_.gradients) / 2);
  return parts;
}

ShardedWeights::Stage DataParallel::sharded(std::span<const Layer> stage) const {
  if (scatters()) return narrowed(apart(weight_units(stage, gathered_bytes(e_), e_.gradients)));
  if (!gathers_ahead(e_, mesh_)) return {};
  return gathered_units(e_, mesh_, stage, bucket_of(e_, mesh_, has_tokens_)).bytes;
}

}  // namespace pipewright
