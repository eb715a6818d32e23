// A model on a grid of devices: layers, stages, updates, memory and FLOPs.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "plan/partition.hpp"
#include "program/passes/chunked.hpp"
#include "program/passes/domino.hpp"
#include "schedule/versions.hpp"
#include "study/data_parallel.hpp"
#include "study/degrees.hpp"
#include "study/prepare.hpp"
#include "study/stage_layers.hpp"
#include "study/tensor_cuts.hpp"
#include "study/workload_of.hpp"
#include "workload/model_layers.hpp"

namespace pipewright {
namespace {

using config::Value;

class ModelJob {
 public:
  ModelJob(const Experiment& experiment, const Machine& machine)
      : e_(experiment), machine_(machine), model_(read_model(e_.at("model"))) {
    settle_degrees();
    settle_batch();
    options_ = workload_options(e_);
    cuts_ = tensor_cuts(e_);
    grid_ = make_grid(e_, machine.device_count());
    grid_.shard = shard_degree(e_, grid_);
    prices_ = machine.prices(e_);
    layers_ = build_layers(options_);
    slice_layers();
  }

  Prepared prepare(const RunOptions& options) {
    const Parallel& parallel = e_.parallel;
    Prepared prepared;
    const schedule::Shape shape{.ranks = parallel.pipeline,
                                .micro_batches = micro_batches_,
                                .iterations = e_.iterations,
                                .sequence = static_cast<int>(options_.sequence),
                                .costs = [this](int stages) { return stage_costs(stages); },
                                .allow_commands = options.allow_commands};
    prepared.schedule = make_schedule(e_, shape);
    if (prepared.schedule.slices > 1 && !model_.has_tokens())
      e_.at("schedule").misfit("a convolutional network has no tokens to slice");
    note_ranks(prepared.schedule);
    require_shardable(e_, grid_, prepared.schedule);
    cut(prepared.schedule.stages);
    prepared.versions = steady_versions(e_, shape, prepared.schedule);
    prepared.work = work(prepared.schedule, prepared.versions);
    prepared.grid = grid_;
    prepared.prices = prices_;
    prepared.devices = static_cast<int>(grid_.devices.size());
    if (const Device* device = machine_.device())
      if (const std::optional<FlopRate> peak = device->peak_at(e_.precision))
        prepared.peak_flops_per_s = peak->flops_per_s;
    prepared.device_memory = machine_.device_memory();
    prepared.resolved = resolved_document(e_);
    return prepared;
  }

 private:
  void settle_degrees() {
    if (const Refusal refusal = pipewright::settle_degrees(e_.parallel, machine_.device_count()))
      throw_misfit(refusal, e_);
  }

  void settle_batch() {
    Batch& batch = e_.batch;
    if (batch.sequence == 0) batch.sequence = static_cast<int>(model_.sequence.value_or(0));
    if (!model_.has_tokens()) batch.sequence = 0;
    if (batch.sequence == 0 && model_.has_tokens())
      e_.document.fail("batch.sequence is needed: the model does not say its sequence length");
    int64_t count = 0;
    if (const Refusal refusal = pipewright::settle_batch(batch, e_.parallel, count))
      throw_misfit(refusal, e_);
    if (count > 1 << 20) e_.document.fail("more than a million micro-batches in an iteration");
    micro_batches_ = static_cast<int>(count);
  }

  std::vector<Layer> build_layers(const WorkloadOptions& options) const {
    return model_layers(model_, options, e_.at("model"));
  }

  Time segments_time(const Segments& segments) const {
    return pipewright::segments_time(segments, prices_, grid_);
  }

  Time layer_time(const Layer& layer, int32_t device) const {
    const double slowdown = prices_.slowdown.empty() ? 1 : prices_.slowdown[device];
    Time time;
    for (const Segments* segments :
         {&layer.forward, &layer.recompute, &layer.input_gradient, &layer.weight_gradient})
      time += pipewright::segments_time(*segments, prices_, grid_, device);
    return slowdown == 1 ? time : seconds(in_seconds(time) * slowdown);
  }

  /// By layer, on the slowest device of `ranks`.
  std::vector<Time> layer_times(const std::vector<int>& ranks) const {
    std::map<std::pair<int32_t, double>, int32_t> kinds;  // one device of each
    for (const int rank : ranks) {
      for (int replica = 0; replica < grid_.replicas(); ++replica) {
        for (int t = 0; t < grid_.tensor; ++t) {
          const int32_t device = grid_.device(rank, t, replica);
          kinds.try_emplace({prices_.device_class.empty() ? 0 : prices_.device_class[device],
                             prices_.slowdown.empty() ? 1 : prices_.slowdown[device]},
                            device);
        }
      }
    }
    std::vector<Time> times(layers_.size());
    for (const auto& [kind, device] : kinds)
      for (size_t i = 0; i < layers_.size(); ++i)
        times[i] = std::max(times[i], layer_time(layers_[i], device));
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
      // Before a schedule says otherwise stages go round the ranks.
      const auto known = ranks_of_.find(stage);
      costs.push_back(layer_times(
          known == ranks_of_.end() ? std::vector<int>{stage % grid_.pipeline} : known->second));
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
    if (const Value* given = e_.document.find("partition"))
      return read_partition(*given, layers_, stage_costs_by_layer(stages), stages);
    return even_partition(layers_, stages, e_.at("schedule"));
  }

  /// Settles which layers make which stage. Recomputing only some layers of every stage depends on
  /// where the stages start.
  void cut(int stages) {
    partition_ = partition(stages);
    if (options_.recompute.blocks < 0) return;
    options_.stage_starts = block_starts(partition_, layers_);
    layers_ = build_layers(options_);
    slice_layers();
  }

  /// What stage k is sent.
  Bytes received(int k) const {
    const int first = partition_.starts[static_cast<size_t>(k)];
    return first > 0 ? layers_[static_cast<size_t>(first) - 1].output : Bytes{};
  }

  Bytes largest_message() const {
    Bytes largest;
    for (int k = 1; k < partition_.stages(); ++k) largest = std::max(largest, received(k));
    return largest;
  }

  DataParallel replicas() const { return {e_, grid_, model_.has_tokens()}; }

  StageWork stage(int k) const {
    const std::span<const Layer> layers = partition_.stage(layers_, k);
    const StageCut cut = replicas().cut(layers);
    const StageWork whole = stage_work(layers, received(k), cut);
    if (cuts_.chunks > 1) return in_chunks(whole, cuts_.chunks);
    if (cuts_.slices == 1) return whole;
    const std::span<const Layer> slice = partition_.stage(sliced_layers_, k);
    return interleave(whole, stage_work(slice, {}, cut), cuts_.slices);
  }

  /// The layers on one of the slices of a micro-batch that Domino makes.
  void slice_layers() {
    if (cuts_.slices == 1) return;
    WorkloadOptions options = options_;
    options.micro_batch /= cuts_.slices;
    sliced_layers_ = build_layers(options);
  }

  schedule::StageCosts stage_costs(int stages) {
    cut(stages);
    schedule::StageCosts costs;
    for (int k = 0; k < stages; ++k) {
      const StageWork work = stage(k);
      costs.forward.push_back(segments_time(work.forward));
      costs.input_gradient.push_back(segments_time(work.input_gradient));
      costs.weight_gradient.push_back(segments_time(work.weight_gradient));
    }
    if (grid_.pipeline > 1)
      costs.hop = prices_.transfer(grid_.device(0, 0, 0), grid_.device(1, 0, 0), largest_message());
    // A middle stage stands for all: the planner wants the time of a slice in the steady state.
    const StageWork middle = stage(stages / 2);
    const int sequence = static_cast<int>(options_.sequence);
    if (sequence == 0) return costs;
    costs.slice_cost = [this, middle, sequence](int length, int context) {
      const StageWork slice = slice_of(middle, context, context + length, sequence);
      return segments_time(slice.forward) + segments_time(slice.backward);
    };
    return costs;
  }

  std::vector<StageWork> stages(const schedule::Schedule& schedule) const {
    const int sequence = static_cast<int>(options_.sequence);
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
    ShardedWeights sharded = replicas().sharded();
    for (int k = 0; k < schedule.stages; ++k)
      sharded.stages.push_back(replicas().sharded(partition_.stage(layers_, k)));
    return sharded;
  }

  /// What every rank holds, by the stages that its order names.
  std::vector<MemoryUse> memory(const schedule::Schedule& schedule,
                                const std::vector<schedule::Versions>& versions) const {
    std::vector<MemoryUse> memory;
    for (size_t rank = 0; rank < schedule.order.size(); ++rank) {
      std::vector<bool> held(static_cast<size_t>(schedule.stages));
      for (const schedule::Action& a : schedule.order[rank]) held[a.stage] = true;
      std::vector<Layer> layers;
      for (int k = 0; k < schedule.stages; ++k) {
        const std::span<const Layer> stage = partition_.stage(layers_, k);
        if (held[k]) layers.insert(layers.end(), stage.begin(), stage.end());
      }
      memory.push_back(static_memory(layers, replicas().state(versions[rank].held)));
    }
    return memory;
  }

  static double flops_of(const Segments& segments) {
    double flops = 0;
    for (const Segment& segment : segments)
      for (const Work& work : segment.kernels) flops += work.flops;
    return flops;
  }

  void count_flops(ModelWork& work) const {
    const double passes = static_cast<double>(micro_batches_) * e_.parallel.data;
    for (const Layer& layer : layers_) {
      // Backward is twice forward: gradients of the input and of the weights.
      work.model_flops += 3 * layer.model_flops * passes;
      const double forward = flops_of(layer.forward);
      const double again = forward > 0 ? flops_of(layer.recompute) / forward : 0;
      work.hardware_flops += (3 + again) * layer.model_flops * passes;
    }
    work.samples = static_cast<double>(e_.batch.global);
    work.tokens = work.samples * static_cast<double>(options_.sequence);
  }

  ModelWork work(const schedule::Schedule& schedule,
                 const std::vector<schedule::Versions>& versions) const {
    ModelWork work;
    work.stages = stages(schedule);
    for (int k = 0; k < schedule.stages; ++k) {
      const std::span<const Layer> stage = partition_.stage(layers_, k);
      work.updates.push_back(replicas().update(stage));
      const auto is_block = [](const Layer& layer) { return layer.kind == LayerKind::block; };
      work.layers.push_back(static_cast<int>(std::count_if(stage.begin(), stage.end(), is_block)));
    }
    if (grid_.shard > 0) work.sharded = sharded_weights(schedule);
    work.tied_embedding = tied_embedding();
    work.static_memory = memory(schedule, versions);
    count_flops(work);
    return work;
  }

  /// The gradient of the embedding that the head shares, where they are on different ranks.
  Bytes tied_embedding() const {
    if (e_.parallel.pipeline == 1) return {};
    double parameters = 0;
    for (const Layer& layer : layers_) parameters += layer.device_tied_parameters;
    return {std::llround(parameters * element_bytes(e_.gradients))};
  }

  Experiment e_;
  const Machine& machine_;
  Model model_;
  int micro_batches_ = 1;
  WorkloadOptions options_;
  Grid grid_;
  Prices prices_;
  std::vector<Layer> layers_;
  TensorCuts cuts_;
  std::vector<Layer> sliced_layers_;          ///< empty where micro-batches stay whole
  std::map<int, std::vector<int>> ranks_of_;  ///< by stage, once the schedule is known
  Partition partition_;
};

}  // namespace

Prepared prepare_model(const Experiment& experiment, const Machine& machine,
                       const RunOptions& options) {
  return ModelJob(experiment, machine).prepare(options);
}

}  // namespace pipewright
