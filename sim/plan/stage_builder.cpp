#include "plan/stage_builder.hpp"

#include "plan/amax.hpp"
#include "plan/on_chip.hpp"
#include "plan/rank_memory.hpp"
#include "plan/stage_layers.hpp"
#include "program/passes/chunked.hpp"
#include "program/passes/domino.hpp"
#include "program/passes/paired.hpp"

namespace pipewright {

StageWork StageBuilder::stage(int k) const {
  const Experiment& e = model_.job.experiment;
  StageWork work = on_mesh(k);
  if (weights_fit_on_chip(model_, k)) read_weights_on_chip(work);
  if (e.scaling == Scaling::delayed) agree_on_amaxes(e.amax_over, work);
  if (e.overlap.expert == ExpertOverlap::pairs) work = with_weight_gradients_last(std::move(work));
  set_boundary(model_.boundary(k), activation_dtype(e.precision),
               {sends_between(k - 1, k), sends_between(k, k + 1)}, work);
  reshard(k, work);
  return work;
}

std::vector<StageWork> StageBuilder::stages(const schedule::Schedule& schedule) const {
  std::vector<StageWork> stages;
  for (int k = 0; k < schedule.stages; ++k) {
    if (schedule.slices == 1)
      stages.push_back(stage(k));
    else
      add_slices(k, schedule, stages);
  }
  return stages;
}

/// Returns the work of a stage as its own mesh cuts it.
StageWork StageBuilder::on_mesh(int k) const {
  const MeshWork& mesh = model_.work_of(k);
  StageCut cut = model_.replicas(k).cut(model_.layers_of(k));
  StageWork whole = stage_work(model_.layers_of(k), model_.received(k), cut);
  if (keeps_outputs(model_.job.experiment.framework) && k + 1 < model_.stages())
    whole.activation += whole.forward_output;
  if (mesh.cuts.chunks > 1) return in_chunks(whole, mesh.cuts.chunks);
  const DominoCut domino{mesh.cuts.slices, mesh.cuts.columns};
  if (domino.slices == 1) return domino.columns == 1 ? whole : interleave(whole, whole, domino);
  const std::span<const Layer> slice = model_.partition.stage(mesh.sliced_layers, k);
  cut.layers_join = mesh.cuts.by_layer;
  return interleave(whole, stage_work(slice, {}, cut), domino);
}

void StageBuilder::add_slices(int k, const schedule::Schedule& schedule,
                              std::vector<StageWork>& stages) const {
  const StageWork whole = stage(k);
  const int sequence = model_.job.sequence();
  int begin = 0;
  for (int slice = 0; slice < schedule.slices; ++slice) {
    const int end = schedule.slice_tokens.empty()
                        ? static_cast<int>(int64_t{sequence} * (slice + 1) / schedule.slices)
                        : begin + schedule.slice_tokens[slice];
    stages.push_back(slice_of(whole, begin, end, sequence));
    begin = end;
  }
}

/// Lets a stage send whole outputs over the resharding edges beside it.
void StageBuilder::reshard(int k, StageWork& work) const {
  if (model_.resharding_edge_before(k) != none) work.backward_output = model_.resharded(k);
  if (k + 1 < model_.stages() && model_.resharding_edge_before(k + 1) != none)
    work.forward_output = model_.resharded(k + 1);
}

bool StageBuilder::sends_between(int k, int next) const {
  return k >= 0 && next < model_.stages() && model_.rank_of(k) != model_.rank_of(next);
}

}  // namespace pipewright
