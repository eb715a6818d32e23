#include "plan/outer_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "plan/memory.hpp"
#include "plan/optimizer_step.hpp"

namespace pipewright {
namespace {

double sent_bytes(OuterPrecision precision) {
  switch (precision) {
    case OuterPrecision::fp32:
      return 4;
    case OuterPrecision::bf16:
      return 2;
    case OuterPrecision::fp8:
      return 1;
    case OuterPrecision::fp4:
      return 0.5;
  }
  return 4;
}

double state_bytes(OuterOptimizer optimizer) {
  switch (optimizer) {
    case OuterOptimizer::nesterov:
      return 4;
    case OuterOptimizer::sgd:
      return 0;
    case OuterOptimizer::adam:
      return 8;
  }
  return 0;
}

/// The weights of one fragment in a stage, on one device.
ParameterCount trained_in(std::span<const Layer> stage, int first, int fragment, int fragments) {
  const std::vector<double> all = trained_parameters(stage);
  ParameterCount count;
  for (size_t k = 0; k < stage.size(); ++k) {
    if ((first + static_cast<int>(k)) % fragments != fragment) continue;
    const double experts = stage[k].trained ? 0 : stage[k].device_expert_parameters;
    count.own += all[k] - experts;
    count.experts += experts;
  }
  return count;
}

/// How the devices of a site share weights of which they hold the same.
StateOptions shares_of(const StagedModel& model, int stage) {
  const Mesh& mesh = model.mesh_of(stage);
  StateOptions options = model.replicas(stage).state(1);
  options.shards = mesh.site_replicas();
  options.expert_shards = std::max(1, mesh.site_replicas() * mesh.tensor / mesh.expert);
  return options;
}

OuterWork outer_work(const StagedModel& model, int stage, const ParameterCount& trained) {
  const OuterSteps& outer = *model.job.experiment.outer;
  const StateOptions options = shares_of(model, stage);
  const double count = trained.cut(options, true).all();
  const double sent = sent_bytes(outer.precision), state = state_bytes(outer.optimizer);
  const double weight = weight_bytes(options);
  const double now = master_bytes(options) > 0 ? 4 : weight;
  const double stepped = master_bytes(options) > 0 ? 4 + weight : weight;
  OuterWork work;
  work.exchange = {CollectiveKind::all_reduce, Axis::sites, whole_bytes(sent * count)};
  work.difference = streamed((4 + now) * count, sent * count);
  work.step = streamed((sent + 4 + state + (outer.overlap > 0 ? now : 0)) * count,
                       (4 + state + stepped) * count);
  const Mesh& mesh = model.mesh_of(stage);
  if (mesh.shard > 0 || gathers_ahead(model.job.experiment, mesh)) return work;
  const ParameterCount whole = mesh.expert > 1 ? trained : ParameterCount{trained.all(), 0};
  for (const auto& [axis, numbers] :
       {std::pair{Axis::data, whole.own}, std::pair{Axis::expert_copies, whole.experts}})
    if (numbers > 0)
      work.gather.push_back({CollectiveKind::all_gather, axis, whole_bytes(weight * numbers)});
  return work;
}

void refuse(const Experiment& e, const char* key, const char* what) {
  e.misfit(key, fmt::format("outer steps are not modelled beside {}", what));
}

/// What an iteration has that the mean over many does not say.
void refuse_single_iterations(const Experiment& e) {
  if (e.variation) refuse(e, "variation", "variation");
  if (e.network.draws() || e.network.kind == NetworkKind::packet)
    refuse(e, "network", "drawn routes or packets");
  if (e.batch.lengths) refuse(e, "batch.lengths", "documents of unequal length");
  if (e.iterations > 1) refuse(e, "iterations", "several simulated iterations");
}

/// Tells whether one rank alone has each stage.
bool has_one_copy(const schedule::Schedule& schedule) {
  std::vector<int> holders(static_cast<size_t>(schedule.stages));
  for (const schedule::Order& order : schedule.order) {
    std::set<int> stages;
    for (const schedule::Action& a : order) stages.insert(a.stage);
    for (const int stage : stages) ++holders[static_cast<size_t>(stage)];
  }
  return std::ranges::all_of(holders, [](int count) { return count == 1; });
}

}  // namespace

int sites_of(const Experiment& e, const Mesh& mesh) {
  if (!e.outer) return 1;
  const int sites = e.outer->sites;
  if (mesh.data % sites != 0)
    e.misfit("outer", fmt::format("outer.sites {} must divide data {}", sites, mesh.data));
  const int devices = mesh.tensor * mesh.replicas() / sites;
  if (devices % mesh.expert != 0)
    e.misfit("outer",
             fmt::format("each of outer.sites {} has {} devices of a pipeline rank, and expert x "
                         "expert_tensor {} does not divide them",
                         sites, devices, mesh.expert));
  return sites;
}

void require_meetable(const Experiment& e, const Grid& grid, const schedule::Schedule& schedule) {
  if (!e.outer) return;
  const OuterSteps& outer = *e.outer;
  if (outer.fragments > outer.every)
    e.misfit("outer", fmt::format("outer.fragments {} must not be more than outer.every {}: one "
                                  "is exchanged at a step",
                                  outer.fragments, outer.every));
  if (outer.overlap >= outer.every)
    e.misfit("outer", fmt::format("outer.overlap {} must be less than outer.every {}",
                                  outer.overlap, outer.every));
  refuse_single_iterations(e);
  if (!e.meshes.empty()) refuse(e, "strategy", "stages with meshes of their own");
  if (!e.overlap.optimizer) refuse(e, "overlap", "a step that waits for the norm of all gradients");
  if (e.offload.optimizer || e.offload.weights) refuse(e, "offload", "weights or steps on hosts");
  const Mesh& mesh = grid.meshes.front();
  if (mesh.shard > 0 && mesh.shard < mesh.site_replicas())
    refuse(e, "parallel", "copies of sharded weights within a site (parallel.shard)");
  if (!schedule.synchronous || !has_one_copy(schedule))
    e.misfit("schedule", "outer steps need a synchronous schedule with one copy of each stage");
}

std::vector<std::vector<OuterWork>> outer_works(const StagedModel& model) {
  std::vector<std::vector<OuterWork>> works;
  const std::optional<OuterSteps>& outer = model.job.experiment.outer;
  if (!outer) return works;
  for (int fragment = 0; fragment < outer->fragments; ++fragment) {
    std::vector<OuterWork>& of_stages = works.emplace_back();
    int first = 0;
    for (int k = 0; k < model.stages(); ++k) {
      const std::span<const Layer> stage = model.layers_of(k);
      of_stages.push_back(
          outer_work(model, k, trained_in(stage, first, fragment, outer->fragments)));
      first += static_cast<int>(stage.size());
    }
  }
  return works;
}

void add_outer_state(const StagedModel& model, int rank, MemoryUse& use) {
  const std::optional<OuterSteps>& outer = model.job.experiment.outer;
  if (!outer) return;
  const double kept = 4 + state_bytes(outer->optimizer);
  Bytes under_way;
  for (const std::vector<OuterWork>& works : outer_works(model)) {
    Bytes sent;
    for (int k = 0; k < model.stages(); ++k)
      if (model.placement.holds(rank, k)) sent += works[static_cast<size_t>(k)].exchange.bytes;
    use.optimizer +=
        whole_bytes(static_cast<double>(sent.count) / sent_bytes(outer->precision) * kept);
    under_way = std::max(under_way, sent);
  }
  if (outer->overlap > 0) use.buffers += under_way;
}

}  // namespace pipewright
