#include "plan/model_work.hpp"

#include <algorithm>

#include "plan/outer_steps.hpp"
#include "plan/rank_memory.hpp"
#include "plan/stage_builder.hpp"
#include "plan/stage_layers.hpp"
#include "plan/staged_model.hpp"
#include "plan/weight_prediction.hpp"

namespace pipewright {
namespace {

int blocks_in(std::span<const Layer> stage) {
  const auto is_block = [](const Layer& layer) { return layer.kind == LayerKind::block; };
  return static_cast<int>(std::count_if(stage.begin(), stage.end(), is_block));
}

ShardedWeights sharded_weights(const StagedModel& model) {
  ShardedWeights sharded = model.replicas(0).sharded();
  for (int k = 0; k < model.stages(); ++k)
    sharded.stages.push_back(model.replicas(k).sharded(model.layers_of(k)));
  return sharded;
}

void count_flops(const StagedModel& model, ModelWork& work) {
  for (int k = 0; k < model.stages(); ++k) {
    const double passes =
        static_cast<double>(model.job.micro_batches) * model.work_of(k).experiment.parallel.data;
    for (const Layer& layer : model.layers_of(k)) {
      // Backward is twice forward: gradients of the input and of the weights, if they are trained.
      const bool returns = !layer.input_gradient.empty() || !layer.weight_gradient.empty();
      const double runs = !returns ? 1 : layer.trained ? 2 : 3;
      work.model_flops += runs * layer.model_flops * passes;
      const double forward = flops_of(layer.forward);
      const double again = forward > 0 ? flops_of(layer.recompute) / forward : 0;
      work.hardware_flops += (runs + again) * layer.model_flops * passes;
    }
  }
}

/// Returns the bytes of all weights and of the optimizer's state, of one replica.
double checkpoint_bytes(const StagedModel& model) {
  double bytes = 0;
  for (int k = 0; k < model.stages(); ++k) {
    const StateOptions state = model.replicas(k).state(1);
    for (const Layer& layer : model.layers_of(k)) {
      const double trained = layer.trained && layer.device_parameters > 0
                                 ? layer.parameters * *layer.trained / layer.device_parameters
                                 : layer.parameters;
      const double narrow =
          layer.device_parameters > 0
              ? layer.parameters * layer.narrow_parameters / layer.device_parameters
              : 0;
      bytes += weight_bytes(state) * layer.parameters + optimizer_bytes(state) * trained -
               (weight_bytes(state) - narrow_bytes(state)) * narrow;
    }
  }
  return bytes;
}

/// Tells whether a stage has the embedding or reads its weights.
bool reads_embedding(std::span<const Layer> stage) {
  return std::ranges::any_of(stage, [](const Layer& layer) {
    return has_embedding(layer) || layer.tied.device_parameters > 0;
  });
}

TiedEmbedding tied_embedding(const StagedModel& model) {
  TiedEmbedding tied{tied_gradient(model.job.works, model.job.experiment.gradients), {}};
  for (int k = 0; k < model.stages(); ++k)
    if (reads_embedding(model.layers_of(k))) tied.stages.push_back(k);
  return tied;
}

}  // namespace

ModelWork model_work(const StagedModel& model, const schedule::Schedule& schedule) {
  const ModelOnGrid& job = model.job;
  const Experiment& e = job.experiment;
  ModelWork work;
  work.stages = StageBuilder(model).stages(schedule);
  for (int k = 0; k < model.stages(); ++k) {
    const std::span<const Layer> stage = model.layers_of(k);
    work.updates.push_back(model.replicas(k).update(stage));
    work.layers.push_back(blocks_in(stage));
    for (const Layer& layer : stage)
      work.named_layers.push_back({layer.name, k, layer.parameters, layer.stash});
    if (e.offload.from_passes()) work.offloaded.stages.push_back(offloaded(e, stage));
  }
  predict_weights(model, schedule, work);
  const auto gathers = [&](const Mesh& mesh) { return gathers_ahead(e, mesh); };
  if (model.replicas(0).scatters() || std::ranges::any_of(job.grid.meshes, gathers))
    work.sharded = sharded_weights(model);
  work.pairs_beside = e.overlap.expert == ExpertOverlap::pairs;
  if (e.parallel.pipeline > 1) work.tied_embedding = tied_embedding(model);
  for (int rank = 0; rank < schedule.ranks(); ++rank)
    work.static_memory.push_back(rank_memory(model, rank));
  work.outer = outer_works(model);
  work.checkpoint_bytes = checkpoint_bytes(model);
  work.replicas_hold_all = e.parallel.zero == 0;
  count_flops(model, work);
  work.samples = static_cast<double>(e.batch.global);
  work.tokens = work.samples * static_cast<double>(job.sequence());
  return work;
}

}  // namespace pipewright
