#include "plan/staged_model.hpp"

#include <fmt/format.h>

#include "experiment/training_state.hpp"
#include "plan/layer_times.hpp"
#include "plan/nanotron_partition.hpp"

namespace pipewright {
namespace {

Partition partition(const ModelOnGrid& job, const StagePlacement& placement, int stages) {
  const Experiment& e = job.experiment;
  if (!e.meshes.empty()) return stage_partition(e.meshes, job.layers());
  const Where where = e.where(e.gives("partition") ? "partition" : "schedule");
  const PartitionOptions options = settled_partition(e, stages);
  std::vector<std::vector<Time>> costs;
  if (options.kind == PartitionOptions::Kind::balanced)
    costs = layer_times(job.layers(), job.grid, job.prices, placement, stages);
  return make_partition(options, where, job.layers(), costs, stages);
}

/// Throws Misfit where a stage begins with a layer whose weights are on the stage before.
void require_whole_groups(const ModelOnGrid& job, const Partition& cut) {
  const std::vector<Layer>& layers = job.layers();
  for (int k = 1; k < cut.stages(); ++k) {
    const auto first = static_cast<size_t>(cut.starts[static_cast<size_t>(k)]);
    if (first == layers.size() || !layers[first].tied.to_former) continue;
    job.experiment.misfit("partition",
                          fmt::format("stage {} begins with {}, which shares its weights with the "
                                      "layer before; the blocks of a group of 'hidden_groups' must "
                                      "stand on one stage",
                                      k, layers[first].name));
  }
}

/// Returns what is sent to a stage by the last of `layers` before it.
Bytes output_before(const Partition& partition, const std::vector<Layer>& layers, int stage) {
  const int first = partition.starts[static_cast<size_t>(stage)];
  return first > 0 ? layers[static_cast<size_t>(first) - 1].output : Bytes{};
}

}  // namespace

Boundary StagedModel::boundary(int stage) const {
  return boundary_of(work_of(stage).experiment, work_of(stage).options);
}

uint32_t StagedModel::resharding_edge_before(int stage) const {
  return job.resharding_edges.empty() || stage == 0
             ? none
             : job.resharding_edges[static_cast<size_t>(stage) - 1].forward;
}

Bytes StagedModel::received(int stage) const {
  return output_before(partition, work_of(stage).layers, stage);
}

Bytes StagedModel::resharded(int stage) const {
  return output_before(partition, job.whole_layers, stage);
}

Partition cut_into_stages(ModelOnGrid& job, const StagePlacement& placement, int stages) {
  Partition cut = partition(job, placement, stages);
  require_whole_groups(job, cut);
  for (MeshWork& work : job.works) work.begin_stages_at(job.model, block_starts(cut, job.layers()));
  return cut;
}

}  // namespace pipewright
