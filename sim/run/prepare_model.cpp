// A model on a grid of devices: its schedule, and the work of its stages.
#include <fmt/format.h>

#include <algorithm>

#include "experiment/derived.hpp"
#include "experiment/make_schedule.hpp"
#include "experiment/resolved_document.hpp"
#include "plan/data_parallel.hpp"
#include "plan/dispatch.hpp"
#include "plan/expert_pairs.hpp"
#include "plan/model_on_grid.hpp"
#include "plan/model_work.hpp"
#include "plan/nanotron_partition.hpp"
#include "plan/outer_steps.hpp"
#include "plan/stage_costs.hpp"
#include "plan/staged_model.hpp"
#include "plan/weight_prediction.hpp"
#include "run/prepare.hpp"
#include "run/prepared.hpp"
#include "run/straddling_groups.hpp"
#include "run/unequal_batches.hpp"
#include "schedule/versions.hpp"

namespace pipewright {
namespace {

void require_sliceable(const ModelOnGrid& job, const schedule::Schedule& schedule) {
  if (schedule.slices == 1) return;
  if (!job.model.has_tokens())
    job.experiment.misfit("schedule", "a convolutional network has no tokens to slice");
  if (job.experiment.batch.images > 0)
    job.experiment.misfit("schedule", "a vision tower reads whole images: none can be sliced");
  if (job.model.transformer.decoder.layers > 0)
    job.experiment.misfit("schedule",
                          "an encoder with a decoder has two sequences: none can be sliced");
}

/// Throws Misfit where `schedule` does not run the stages of `strategy` on their meshes, or asks
/// for what only meshes do that are alike.
void require_stages_of_meshes(const ModelOnGrid& job, const StagePlacement& placement,
                              const schedule::Schedule& schedule) {
  const StageMeshes& meshes = job.experiment.meshes;
  if (meshes.empty()) return;
  const auto refuse = [&](const std::string& why) { job.experiment.misfit("schedule", why); };
  if (schedule.stages != static_cast<int>(meshes.stages.size()))
    refuse(
        fmt::format("strategy has {} stages, but the schedule {}; a mesh with several has "
                    "'layers: [0-1, 4-5]'",
                    meshes.stages.size(), schedule.stages));
  for (int stage = 0; stage < schedule.stages; ++stage) {
    const int rank = meshes.stages[static_cast<size_t>(stage)].rank;
    const std::vector<int> ranks = placement.ranks_of(stage);
    if (std::ranges::find(ranks, rank) == ranks.end())
      refuse(fmt::format("strategy places stage {} on mesh {}, but the schedule on rank {}", stage,
                         rank, ranks.front()));
    if (meshes.reshards() && ranks.size() > 1)
      refuse(fmt::format("the schedule runs stage {} on several ranks, whose meshes must be alike",
                         stage));
  }
  if (meshes.reshards() && !schedule.evictions.empty())
    refuse("the schedule moves activations to other ranks, whose meshes must be alike");
}

/// Blocks of a group run by the weights of its first block, which are not fetched for each of them.
void require_weights_that_stay(const ModelOnGrid& job) {
  const Experiment& e = job.experiment;
  if (job.model.transformer.hidden_groups == 0) return;
  if (e.parallel.zero == 3)
    e.misfit("parallel", "parallel.zero: blocks that share weights need them whole, not zero: 3");
  if (e.offload.weights)
    e.misfit("offload", "offload: blocks that share weights need them on the device");
}

/// Throws Misfit where `recompute.layers` asks for more layers than any stage has.
void require_layers_to_run_again(const Experiment& e, std::span<const int64_t> blocks) {
  const int64_t most = blocks.empty() ? 0 : *std::ranges::max_element(blocks);
  if (e.recompute.blocks <= most) return;
  e.misfit(
      "recompute",
      fmt::format("recompute.layers: {} layers of a stage that has {} at the most; 'recompute: "
                  "full' runs all again",
                  e.recompute.blocks, most));
}

/// Throws Misfit where the job cannot run by `schedule`.
void check(const ModelOnGrid& job, const StagePlacement& placement,
           const schedule::Schedule& schedule) {
  require_sliceable(job, schedule);
  require_stages_of_meshes(job, placement, schedule);
  require_shardable(job.experiment, job.grid, schedule);
  require_offloadable(job.experiment, job.grid, job.machine, schedule);
  require_predictable(job.experiment, schedule);
  require_meetable(job.experiment, job.grid, schedule);
  require_weights_that_stay(job);
}

/// Returns what a reader should know of how a model is laid on a machine.
std::vector<std::string> notes_on(const ModelOnGrid& job, const Machine& machine) {
  const Experiment& e = job.experiment;
  std::vector<std::string> notes;
  const auto add = [&](std::string note) {
    if (!note.empty()) notes.push_back(std::move(note));
  };
  if (job.model.transformer.vision && e.batch.images == 0)
    add("the model's text part only: its vision tower reads the images that batch.images gives");
  add(where_groups_straddle(job.grid, machine.topology()));
  add(extrapolated_kernels(e, machine));
  if (e.parallel.zero == 2 && e.parallel.tensor > 1 && e.overlap.tensor.kind != TensorOverlap::none)
    add("gradients of 'zero: 2' are summed once a step beside overlap.tensor, where frameworks sum "
        "them after each backward pass");
  add(job.model.left_out);
  if (collective_checks(e) == CollectiveChecks::detail && !e.gives("checks"))
    add("ranks compare their collectives, as by nanotron's launch scripts for several nodes; "
        "'checks: none' leaves that out");
  if (job.model.positions && job.sequence() > *job.model.positions)
    add(
        fmt::format("sequences of {} tokens are longer than the {} that the model's configuration "
                    "says (max_position_embeddings)",
                    job.sequence(), *job.model.positions));
  return notes;
}

}  // namespace

Prepared prepare_model(const Experiment& experiment, const Machine& machine,
                       const RunOptions& options) {
  ModelOnGrid job = model_on_grid(experiment, machine);
  const Experiment& e = job.experiment;
  StagePlacement placement(job.grid.pipeline());
  const auto cut = [&](int stages) {
    return StagedModel{job, placement, cut_into_stages(job, placement, stages), {}};
  };
  const schedule::Shape shape{.ranks = e.parallel.pipeline,
                              .micro_batches = job.micro_batches,
                              .iterations = e.iterations,
                              .sequence = job.sequence(),
                              .costs = [&](int stages) { return stage_costs(cut(stages)); },
                              .allow_commands = options.allow_commands};
  Prepared prepared;
  prepared.schedule = make_schedule(e, shape);
  placement = StagePlacement(prepared.schedule);
  check(job, placement, prepared.schedule);
  settle_expert_overlap(job.experiment, job.grid, prepared.schedule);
  StagedModel staged = cut(prepared.schedule.stages);
  prepared.versions = steady_versions(e, shape, prepared.schedule);
  staged.weight_versions = weight_copies(prepared.versions, prepared.schedule);
  prepared.work = model_work(staged, prepared.schedule);
  for (int stage = 0; stage < staged.stages(); ++stage) {
    prepared.blocks.push_back(block_count(staged.layers_of(stage)));
    for (const Layer& layer : staged.layers_of(stage))
      prepared.record.parameters += layer.parameters;
  }
  require_layers_to_run_again(e, prepared.blocks);
  prepared.grid = job.grid;
  prepared.resharding_edges = job.resharding_edges;
  prepared.prices = job.prices;
  if (e.batch.lengths)
    prepared.lengths =
        unequal_batches(e, job.model, prepared.schedule, job.sequence(), options.seed);
  settle_virtual(job.experiment, prepared.schedule);
  job.experiment.partition = settled_partition(e, prepared.schedule.stages);
  prepared.record.resolved = resolved_document(e);
  prepared.record.notes = notes_on(job, machine);
  return prepared;
}

}  // namespace pipewright
