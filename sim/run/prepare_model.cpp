// A model on a grid of devices: layers, stages, updates, memory and FLOPs.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "experiment/resolved_document.hpp"
#include "machine/run_options.hpp"
#include "plan/amax.hpp"
#include "plan/boundary.hpp"
#include "plan/data_parallel.hpp"
#include "plan/degrees.hpp"
#include "plan/grid.hpp"
#include "plan/mesh_work.hpp"
#include "plan/model_work.hpp"
#include "plan/on_chip.hpp"
#include "plan/partition.hpp"
#include "plan/resharding_edges.hpp"
#include "plan/segments_time.hpp"
#include "plan/stage_layers.hpp"
#include "program/passes/chunked.hpp"
#include "program/passes/domino.hpp"
#include "result/memory_use.hpp"
#include "run/make_schedule.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "run/unequal_batches.hpp"
#include "schedule/versions.hpp"

namespace pipewright {
namespace {

using config::Value;

class ModelJob {
 public:
  ModelJob(const Experiment& experiment, const Machine& machine)
      : e_(experiment), machine_(machine), model_(e_.model_or_fail()) {
    settle_degrees();
    settle_batch();
    works_ = mesh_works(e_, model_);
    grid_ = make_grid(e_, machine.device_count());
    for (Mesh& mesh : grid_.meshes) mesh.shard = shard_degree(e_, mesh);
    settle_dispatch(e_, model_, grid_, machine.topology(), works_);
    prices_ = machine.prices(e_);
    resharding_edges_ = add_resharding_edges(e_, grid_, machine, prices_);
    if (!resharding_edges_.empty()) whole_layers_ = whole_layers(e_, model_);
  }

  Prepared prepare(const RunOptions& options) {
    const Parallel& parallel = e_.parallel;
    Prepared prepared;
    const schedule::Shape shape{.ranks = parallel.pipeline,
                                .micro_batches = micro_batches_,
                                .iterations = e_.iterations,
                                .sequence = static_cast<int>(sequence()),
                                .costs = [this](int stages) { return stage_costs(stages); },
                                .allow_commands = options.allow_commands};
    prepared.schedule = make_schedule(e_, shape);
    if (prepared.schedule.slices > 1 && !model_.has_tokens())
      e_.misfit("schedule", "a convolutional network has no tokens to slice");
    if (prepared.schedule.slices > 1 && model_.transformer.decoder > 0)
      e_.misfit("schedule", "an encoder with a decoder has two sequences: none can be sliced");
    note_ranks(prepared.schedule);
    require_a_stage_a_mesh(prepared.schedule);
    require_shardable(e_, grid_, prepared.schedule);
    require_offloadable(e_, machine_, prepared.schedule);
    cut(prepared.schedule.stages);
    prepared.versions = versions_ = steady_versions(e_, shape, prepared.schedule);
    prepared.work = work(prepared.schedule);
    prepared.grid = grid_;
    prepared.resharding_edges = resharding_edges_;
    prepared.prices = prices_;
    prepared.devices = static_cast<int>(grid_.devices().size());
    if (const Device* device = machine_.device())
      if (const std::optional<FlopRate> peak = device->peak_at(e_.precision))
        prepared.peak_flops_per_s = peak->flops_per_s;
    prepared.device_memory = machine_.device_memory();
    if (e_.batch.lengths)
      prepared.lengths = unequal_batches(e_, model_, prepared.schedule, sequence(), options.seed);
    prepared.resolved = resolved_document(e_);
    return prepared;
  }

 private:
  void settle_degrees() {
    if (!e_.meshes.stages.empty()) return settle_meshes(e_, machine_.device_count());
    if (const Refusal refusal = pipewright::settle_degrees(e_.parallel, machine_.device_count()))
      throw_misfit(refusal, e_);
  }

  void settle_batch() {
    Batch& batch = e_.batch;
    if (batch.sequence == 0) batch.sequence = static_cast<int>(model_.sequence.value_or(0));
    if (!model_.has_tokens()) batch.sequence = 0;
    if (batch.sequence == 0 && model_.has_tokens())
      e_.fail("", "batch.sequence is needed: the model does not say its sequence length");
    int64_t count = 0;
    if (const Refusal refusal = pipewright::settle_batch(batch, e_.parallel, count))
      throw_misfit(refusal, e_);
    if (count > 1 << 20) e_.fail("", "more than a million micro-batches in an iteration");
    micro_batches_ = static_cast<int>(count);
  }

  void require_a_stage_a_mesh(const schedule::Schedule& schedule) const {
    if (e_.meshes.stages.empty()) return;
    bool fits = schedule.stages == grid_.pipeline() && schedule.evictions.empty();
    for (int stage = 0; stage < schedule.stages && fits; ++stage)
      fits = ranks_of_.at(stage) == std::vector<int>{stage};
    if (!fits)
      e_.misfit("schedule",
                "strategy places one stage on each mesh: as many stages as ranks, each on one, and "
                "activations that stay where they are");
  }

  int64_t sequence() const { return works_.front().options.sequence; }

  /// Returns the rank of a stage; before a schedule says otherwise stages go round the ranks.
  int rank_of(int stage) const {
    const auto known = ranks_of_.find(stage);
    return known == ranks_of_.end() ? stage % grid_.pipeline() : known->second.front();
  }
  const Mesh& mesh_of(int stage) const { return grid_.mesh(rank_of(stage)); }
  /// Returns the work of a stage; there is one for all where stages are alike.
  const MeshWork& work_of(int stage) const {
    return works_.size() == 1 ? works_.front() : works_[static_cast<size_t>(rank_of(stage))];
  }
  /// Returns the layers of one mesh; only their kinds and their order are the same for all.
  const std::vector<Layer>& layers() const { return works_.front().layers; }
  std::span<const Layer> layers_of(int stage) const {
    return partition_.stage(work_of(stage).layers, stage);
  }

  Time segments_time(const Segments& segments, int stage) const {
    return pipewright::segments_time(segments, prices_, mesh_of(stage));
  }

  Time layer_time(const Layer& layer, const Mesh& mesh, int32_t device) const {
    const double slowdown = prices_.slowdown.empty() ? 1 : prices_.slowdown[device];
    Time time;
    for (const Segments* segments :
         {&layer.forward, &layer.recompute, &layer.input_gradient, &layer.weight_gradient})
      time += pipewright::segments_time(*segments, prices_, mesh, device);
    return slowdown == 1 ? time : seconds(in_seconds(time) * slowdown);
  }

  /// Returns the times by layer, on the slowest device of `ranks`.
  std::vector<Time> layer_times(const std::vector<int>& ranks) const {
    std::map<std::pair<int32_t, double>, int32_t> kinds;  // one device of each
    for (const int rank : ranks)
      for (const int32_t device : grid_.mesh(rank).devices)
        kinds.try_emplace({prices_.device_class.empty() ? 0 : prices_.device_class[device],
                           prices_.slowdown.empty() ? 1 : prices_.slowdown[device]},
                          device);
    std::vector<Time> times(layers().size());
    for (const auto& [kind, device] : kinds)
      for (size_t i = 0; i < layers().size(); ++i)
        times[i] = std::max(times[i], layer_time(layers()[i], grid_.mesh(ranks.front()), device));
    return times;
  }

  bool devices_are_alike() const {
    const auto alike = [](const auto& all) {
      return std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) == all.end();
    };
    return alike(prices_.device_class) && alike(prices_.slowdown);
  }

  /// One list where all devices are alike, else one for every stage.
  std::vector<std::vector<Time>> stage_costs_by_layer(int stages) const {
    if (devices_are_alike()) return {layer_times({0})};
    std::vector<std::vector<Time>> costs;
    for (int stage = 0; stage < stages; ++stage) {
      const auto known = ranks_of_.find(stage);
      costs.push_back(
          layer_times(known == ranks_of_.end() ? std::vector<int>{rank_of(stage)} : known->second));
    }
    return costs;
  }

  void note_ranks(const schedule::Schedule& schedule) {
    std::map<int, std::set<int>> ranks;
    for (int rank = 0; rank < schedule.ranks(); ++rank)
      for (const schedule::Action& a : schedule.order[rank]) ranks[a.stage].insert(rank);
    for (const auto& [stage, all] : ranks) ranks_of_[stage] = {all.begin(), all.end()};
  }

  Partition partition(int stages) const {
    if (!e_.meshes.stages.empty()) return stage_partition(e_.meshes, layers());
    const Where where = e_.where(e_.gives("partition") ? "partition" : "schedule");
    if (e_.partition.kind != PartitionOptions::Kind::balanced)
      return make_partition(e_.partition, where, layers(), {}, stages);
    return make_partition(e_.partition, where, layers(), stage_costs_by_layer(stages), stages);
  }

  /// Settles which layers make which stage. Recomputing only some layers of every stage depends on
  /// where the stages start.
  void cut(int stages) {
    partition_ = partition(stages);
    for (MeshWork& work : works_) work.begin_stages_at(model_, block_starts(partition_, layers()));
  }

  /// Returns what is sent to stage k, by these layers.
  Bytes received(const std::vector<Layer>& layers, int k) const {
    const int first = partition_.starts[static_cast<size_t>(k)];
    return first > 0 ? layers[static_cast<size_t>(first) - 1].output : Bytes{};
  }

  /// The number of the resharding between stages k - 1 and k.
  uint32_t resharding_edge_before(int k) const {
    return resharding_edges_.empty() || k == 0
               ? none
               : resharding_edges_[static_cast<size_t>(k) - 1].forward;
  }

  /// The longest a message takes from a stage to the next.
  Time hop() const {
    Time longest;
    for (int k = 1; k < partition_.stages(); ++k) {
      const Time time = resharding_edge_before(k) != none
                            ? prices_.reshard(resharding_edge_before(k), received(whole_layers_, k))
                            : prices_.transfer(grid_.device(0, 0, 0), grid_.device(1, 0, 0),
                                               boundary(k).sent(received(work_of(k).layers, k)));
      longest = std::max(longest, time);
    }
    return longest;
  }

  DataParallel replicas(int stage) const {
    return {work_of(stage).experiment, mesh_of(stage), model_.has_tokens(),
            machine_.host_step_rate()};
  }

  Boundary boundary(int k) const { return boundary_of(work_of(k).experiment, work_of(k).options); }

  bool sends_between(int k, int next) const {
    return k >= 0 && next < partition_.stages() && rank_of(k) != rank_of(next);
  }

  StageWork stage(int k) const {
    StageWork work = stage_on_mesh(k);
    if (weights_fit_on_chip(k)) read_weights_on_chip(work);
    if (e_.scaling == Scaling::delayed) agree_on_amaxes(e_.amax_over, work);
    set_boundary(boundary(k), activation_dtype(e_.precision),
                 {sends_between(k - 1, k), sends_between(k, k + 1)}, work);
    if (resharding_edge_before(k) != none) work.backward_output = received(whole_layers_, k);
    if (k + 1 < partition_.stages() && resharding_edge_before(k + 1) != none)
      work.forward_output = received(whole_layers_, k + 1);
    return work;
  }

  StageWork stage_on_mesh(int k) const {
    const MeshWork& mesh = work_of(k);
    StageCut cut = replicas(k).cut(layers_of(k));
    StageWork whole = stage_work(layers_of(k), received(mesh.layers, k), cut);
    if (keeps_outputs(e_.framework) && k + 1 < partition_.stages())
      whole.activation += whole.forward_output;
    if (mesh.cuts.chunks > 1) return in_chunks(whole, mesh.cuts.chunks);
    const DominoCut domino{mesh.cuts.slices, mesh.cuts.columns};
    if (domino.slices == 1) return domino.columns == 1 ? whole : interleave(whole, whole, domino);
    const std::span<const Layer> slice = partition_.stage(mesh.sliced_layers, k);
    cut.layers_join = mesh.cuts.by_layer;
    return interleave(whole, stage_work(slice, {}, cut), domino);
  }

  schedule::StageCosts stage_costs(int stages) {
    cut(stages);
    schedule::StageCosts costs;
    for (int k = 0; k < stages; ++k) {
      const StageWork work = stage(k);
      costs.forward.push_back(segments_time(work.forward, k));
      costs.input_gradient.push_back(segments_time(work.input_gradient, k));
      costs.weight_gradient.push_back(segments_time(work.weight_gradient, k));
    }
    if (grid_.pipeline() > 1) costs.hop = hop();
    // A middle stage stands for all: the planner wants the time of a slice in the steady state.
    const int in_middle = stages / 2;
    const StageWork middle = stage(in_middle);
    const int sequence = static_cast<int>(this->sequence());
    if (sequence == 0) return costs;
    costs.slice_cost = [this, middle, sequence, in_middle](int length, int context) {
      const StageWork slice = slice_of(middle, context, context + length, sequence);
      return segments_time(slice.forward, in_middle) + segments_time(slice.backward, in_middle);
    };
    return costs;
  }

  std::vector<StageWork> stages(const schedule::Schedule& schedule) const {
    const int sequence = static_cast<int>(this->sequence());
    std::vector<StageWork> stages;
    for (int k = 0; k < schedule.stages; ++k) {
      const StageWork whole = stage(k);
      if (schedule.slices == 1) {
        stages.push_back(whole);
        continue;
      }
      int begin = 0;
      for (int slice = 0; slice < schedule.slices; ++slice) {
        const int end = schedule.slice_tokens.empty()
                            ? static_cast<int>(int64_t{sequence} * (slice + 1) / schedule.slices)
                            : begin + schedule.slice_tokens[slice];
        stages.push_back(slice_of(whole, begin, end, sequence));
        begin = end;
      }
    }
    return stages;
  }

  ShardedWeights sharded_weights(const schedule::Schedule& schedule) const {
    ShardedWeights sharded = replicas(0).sharded();
    for (int k = 0; k < schedule.stages; ++k)
      sharded.stages.push_back(replicas(k).sharded(layers_of(k)));
    return sharded;
  }

  DataParallel replicas_on(size_t rank) const {
    const MeshWork& work = works_.size() == 1 ? works_.front() : works_[rank];
    return {work.experiment, grid_.meshes[rank], model_.has_tokens(), machine_.host_step_rate()};
  }

  bool holds(int rank, int stage) const {
    const auto known = ranks_of_.find(stage);
    return known == ranks_of_.end()
               ? rank_of(stage) == rank
               : std::count(known->second.begin(), known->second.end(), rank) > 0;
  }

  /// Returns what a rank holds all the time, for all its stages.
  MemoryUse memory_of(int rank) const {
    std::vector<Layer> layers;
    for (int k = 0; k < partition_.stages(); ++k) {
      const std::span<const Layer> stage = layers_of(k);
      if (holds(rank, k)) layers.insert(layers.end(), stage.begin(), stage.end());
    }
    const auto index = static_cast<size_t>(rank);
    const int versions = versions_.empty() ? 1 : versions_[index].held;
    return static_memory(layers, replicas_on(index).state(versions));
  }

  /// Tells whether the weights fit on the chip of every device of the stage, beside those of its
  /// other stages.
  bool weights_fit_on_chip(int stage) const {
    if (e_.offload.weights || mesh_of(stage).shard > 0) return false;
    for (int rank = 0; rank < grid_.pipeline(); ++rank) {
      if (!holds(rank, stage)) continue;
      const Bytes chip = machine_.on_chip(grid_.mesh(rank).devices);
      if (chip == Bytes{}) return false;
      const MemoryUse held = memory_of(rank);
      if (held.weights + held.weight_versions > chip) return false;
    }
    return true;
  }

  void count_flops(ModelWork& work) const {
    for (int k = 0; k < partition_.stages(); ++k) {
      const double passes =
          static_cast<double>(micro_batches_) * work_of(k).experiment.parallel.data;
      for (const Layer& layer : layers_of(k)) {
        // Backward is twice forward: gradients of the input and of the weights.
        work.model_flops += 3 * layer.model_flops * passes;
        const double forward = flops_of(layer.forward);
        const double again = forward > 0 ? flops_of(layer.recompute) / forward : 0;
        work.hardware_flops += (3 + again) * layer.model_flops * passes;
      }
    }
    work.samples = static_cast<double>(e_.batch.global);
    work.tokens = work.samples * static_cast<double>(sequence());
  }

  ModelWork work(const schedule::Schedule& schedule) const {
    ModelWork work;
    work.stages = stages(schedule);
    for (int k = 0; k < schedule.stages; ++k) {
      const std::span<const Layer> stage = layers_of(k);
      work.updates.push_back(replicas(k).update(stage));
      const auto is_block = [](const Layer& layer) { return layer.kind == LayerKind::block; };
      work.layers.push_back(static_cast<int>(std::count_if(stage.begin(), stage.end(), is_block)));
    }
    if (grid_.meshes.front().shard > 0) work.sharded = sharded_weights(schedule);
    for (int k = 0; k < schedule.stages && e_.offload.from_passes(); ++k)
      work.offloaded.stages.push_back(offloaded(e_, layers_of(k)));
    if (e_.parallel.pipeline > 1) work.tied_embedding = tied_gradient(works_, e_.gradients);
    for (int rank = 0; rank < schedule.ranks(); ++rank)
      work.static_memory.push_back(memory_of(rank));
    count_flops(work);
    return work;
  }

  Experiment e_;
  const Machine& machine_;
  Model model_;
  int micro_batches_ = 1;
  Grid grid_;
  Prices prices_;
  std::vector<MeshWork> works_;                   ///< by pipeline rank; one where stages are alike
  std::vector<ReshardingEdge> resharding_edges_;  ///< by stage; empty where nothing is resharded
  std::vector<Layer> whole_layers_;               ///< empty where nothing is resharded
  std::map<int, std::vector<int>> ranks_of_;      ///< by stage, once the schedule is known
  std::vector<schedule::Versions> versions_;      ///< by rank, once the schedule is known
  Partition partition_;
};

}  // namespace

Prepared prepare_model(const Experiment& experiment, const Machine& machine,
                       const RunOptions& options) {
  return ModelJob(experiment, machine).prepare(options);
}

}  // namespace pipewright
