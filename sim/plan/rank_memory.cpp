#include "plan/rank_memory.hpp"

#include "plan/memory.hpp"
#include "plan/outer_steps.hpp"

namespace pipewright {

MemoryUse rank_memory(const StagedModel& model, int rank) {
  std::vector<Layer> layers;
  for (int k = 0; k < model.stages(); ++k) {
    const std::span<const Layer> stage = model.layers_of(k);
    if (model.placement.holds(rank, k)) layers.insert(layers.end(), stage.begin(), stage.end());
  }
  const std::vector<int>& held = model.weight_versions;
  const int versions = held.empty() ? 1 : held[static_cast<size_t>(rank)];
  MemoryUse use = static_memory(layers, model.job.replicas_on(rank).state(versions));
  add_outer_state(model, rank, use);
  return use;
}

bool weights_fit_on_chip(const StagedModel& model, int stage) {
  const ModelOnGrid& job = model.job;
  if (job.experiment.offload.weights || model.mesh_of(stage).shard > 0) return false;
  for (int rank = 0; rank < job.grid.pipeline(); ++rank) {
    if (!model.placement.holds(rank, stage)) continue;
    const Bytes chip = job.machine.on_chip(job.grid.mesh(rank).devices);
    if (chip == Bytes{}) return false;
    const MemoryUse held = rank_memory(model, rank);
    if (held.weights + held.weight_versions > chip) return false;
  }
  return true;
}

}  // namespace pipewright
