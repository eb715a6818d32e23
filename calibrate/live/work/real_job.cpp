#include "calibrate/live/work/real_job.hpp"
#include "plan/model_work.hpp"
#include "run/prepare.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "schedule/mitigations.hpp"
#include "workload/model/model.hpp"

namespace pipewright::live {
namespace {

/// Tells whether blocks recompute their insides; what else `recompute` may say saves memory of
/// kernels that live attention never stores.
bool recomputes_blocks(const Experiment& e) { return e.recompute.block && e.recompute.blocks < 0; }

/// Megatron-LM's cut with its all-reduces, or a cube's, and nothing on top.
void require_live_tensor(const Experiment& e, const Model& model) {
  const auto refuse = [&](const std::string& what) {
    e.document.fail(
        fmt::format("parallel.tensor: {} with {} cannot be trained live by this version",
                    e.parallel.tensor, what));
  };
  if (model.cnn || model.recurrent) refuse("models other than transformers");
  const TensorGrid& grid = e.parallel.tensor_grid;
  if (!grid.is_line() && grid.kind != TensorKind::cube)
    refuse("a tensor_kind other than 1d and 3d");
  if (e.parallel.sequence) refuse("sequence parallelism");
  if (e.overlap.tensor.kind != TensorOverlap::none) refuse("overlap.tensor");
  if (e.boundary.scatter || e.boundary.is_map) refuse("boundary: scatter-gather");
  if (e.recompute.any()) refuse("recompute");
  if (model.transformer.encoder) refuse("an encoder");
  const std::string why = grid.is_line() ? train::not_divided(model.transformer, e.parallel.tensor)
                                         : train::not_on_cube(model.transformer, grid.sides[0]);
  if (!why.empty()) e.at("model").misfit(why);
}

/// Strips of images, and nothing on top.
void require_live_strips(const Experiment& e, const Model& model) {
  const auto refuse = [&](const std::string& what) {
    e.document.fail(
        fmt::format("parallel.spatial: {} with {} cannot be trained live by this version",
                    e.parallel.spatial, what));
  };
  if (e.recompute.any()) refuse("recompute");
  if (e.batch.micro % e.parallel.spatial != 0)
    e.document.misfit(fmt::format(
        "parallel.spatial: {} strips share out a micro-batch's samples: batch.micro {} must be a "
        "multiple",
        e.parallel.spatial, e.batch.micro));
  if (!model.cnn) return;
  if (const std::string what = train::not_in_strips(*model.cnn, e.parallel.spatial); !what.empty())
    refuse(what);
}

/// Holds each mesh of `strategy` against what tensor ranks can train.
void require_live_meshes(const Experiment& e, const Model& model) {
  for (const StageMesh& mesh : e.meshes.ranks) {
    Experiment own = e;
    own.parallel.tensor = mesh.tensor;
    own.parallel.tensor_grid = mesh.tensor_grid;
    if (mesh.tensor > 1) require_live_tensor(own, model);
    if (e.meshes.reshards() && !mesh.tensor_grid.is_line())
      mesh.given.fail("what is resharded cannot be trained live on a grid of tensor ranks");
  }
}

void require_what_is_live(const Experiment& e, const Model& model) {
  if (const std::string what = train::unsupported(model); !what.empty())
    e.at("model").fail(fmt::format("{} cannot be trained live by this version", what));
  const auto require_one = [&](std::string_view key, int degree) {
    if (degree > 1)
      e.document.fail(fmt::format(
          "parallel.{}: {} cannot be trained live by this version; must be 1", key, degree));
  };
  require_live_meshes(e, model);
  if (e.meshes.empty() && e.parallel.tensor > 1) require_live_tensor(e, model);
  if (e.parallel.spatial > 1)
    require_live_strips(e, model);
  else
    require_one("context", e.parallel.context);
  require_one("expert", e.parallel.expert);
  if (e.boundary.is_map)
    e.fail("boundary", "what stages send each other is not compressed live by this version");
  if (!e.overlap.optimizer)
    e.at("overlap").fail(
        "overlap.optimizer: a step that waits for the norm of "
        "all gradients cannot be trained live "
        "by this version");
  if (e.parallel.zero > 0)
    e.document.fail(
        "parallel.zero: sharded optimizers cannot be trained live "
        "by this version");
}

/// Throws Misfit where the backward pass reads other weights than the forward pass: on a cube it
/// works with those that the forward pass gathered.
void require_same_weights(const Experiment& e, const schedule::Schedule& schedule) {
  std::map<std::pair<int, int>, int> read;  // by stage and micro-batch
  bool same = schedule.look_ahead.empty();
  for (const schedule::Order& order : schedule.order)
    for (const schedule::Action& a : order)
      same = same && read.try_emplace({a.stage, a.micro_batch}, a.weight_version).first->second ==
                         a.weight_version;
  if (!same)
    e.at("schedule")
        .misfit(
            "tensor_kind 3d keeps the weights that a forward pass gathered; under this schedule "
            "the "
            "backward pass reads others");
}

train::Rule rule_of(const Experiment& e) {
  const std::string_view name = choices::optimizer[static_cast<size_t>(e.optimizer)];
  if (const std::optional<train::Rule> rule = train::find_rule(name)) return *rule;
  e.fail("optimizer",
         fmt::format("optimizer '{}' cannot be run live; one of sgd, momentum, adam, adamw", name));
}

train::OptimizerOptions optimizer_of(const Experiment& e, const RealOptions& options,
                                     const schedule::Mitigations& mitigations) {
  train::OptimizerOptions optimizer{.rule = rule_of(e)};
  optimizer.differences = mitigations.by_difference;
  if (!mitigations.spike_delays.empty() && optimizer.rule != train::Rule::sgd &&
      optimizer.rule != train::Rule::momentum)
    e.at("schedule").misfit("spike_compensation is of optimizer: momentum (or sgd, without any)");
  if (options.learning_rate > 0) optimizer.learning_rate = options.learning_rate;
  return optimizer;
}

std::vector<int> slice_tokens(const schedule::Schedule& schedule, int sequence) {
  if (!schedule.slice_tokens.empty()) return schedule.slice_tokens;
  std::vector<int> tokens;
  for (int k = 0; k < schedule.slices; ++k)
    tokens.push_back(sequence * (k + 1) / schedule.slices - sequence * k / schedule.slices);
  return tokens;
}

/// The degrees of stages; those of each where `strategy` gives them unlike ones.
struct Degrees {
  int tensor = 1, data = 1;
  std::vector<int> tensors, of_stages;  ///< tensor ranks and replicas, by stage
};

Degrees degrees_of(const Experiment& e, const Prepared& prepared) {
  const Mesh& first = prepared.grid.meshes.front();
  Degrees degrees{first.tensor, first.data, {}, {}};
  if (!e.meshes.reshards()) return degrees;
  degrees.data = e.meshes.most_data();
  for (const StageMeshes::Stage& stage : e.meshes.stages) {
    const Mesh& mesh = prepared.grid.mesh(stage.rank);
    degrees.tensors.push_back(mesh.tensor);
    degrees.of_stages.push_back(mesh.data);
  }
  return degrees;
}

train::Task task_of(const Model& model, const ModelWork& work, uint64_t seed) {
  const auto narrow = [](auto n) { return static_cast<int32_t>(n); };
  if (model.cnn)
    return {.vocabulary = narrow(model.cnn->layers.back().channels),
            .sequence = 1,
            .features = std::llround(model.cnn->input.size()),
            .seed = seed};
  return {.vocabulary = narrow(model.recurrent ? model.recurrent->vocabulary
                                               : model.transformer.ends.vocabulary),
          .sequence = narrow(work.tokens / work.samples),
          .seed = seed};
}

}  // namespace

RealJob make_real_job(const config::Value& document, const config::Catalogue& catalogue,
                      const RealOptions& options) {
  Experiment e = read_experiment(resolve(document, catalogue));
  if (e.synthetic)
    e.at("model").fail(
        "a synthetic model has nothing to compute; a "
        "transformer, a convolutional network or an "
        "LSTM can be trained");
  const Model& model = e.model_or_fail();
  require_what_is_live(e, model);
  if (options.steps > 0) e.iterations = options.steps;
  RealJob job;
  job.prepared = prepare(
      e, catalogue,
      {.fold = false, .fold_micro_batches = false, .allow_commands = options.allow_commands});
  if (job.prepared.schedule.parallel_passes) {
    e.at("schedule")
        .misfit(
            "two passes at once on one rank cannot be trained live by this "
            "version");
  }
  for (const UpdateWork& update : job.prepared.work.updates)
    if (update.reduce.size() > 1)
      e.document.fail(
          "gradients in several buckets cannot be trained live by "
          "this version: give a larger "
          "overlap.bucket");
  job.program = lower(job.prepared.lowering(job.prepared.folding));
  const schedule::Schedule& schedule = job.prepared.schedule;
  if (!job.prepared.grid.meshes.front().tensor_grid.is_line()) require_same_weights(e, schedule);
  const schedule::Mitigations mitigations =
      schedule::mitigations_of(e.at("schedule"), schedule.ranks());
  const train::Task task = task_of(model, job.prepared.work, options.seed);
  const Degrees degrees = degrees_of(e, job.prepared);
  job.model = train::build_model(model, job.prepared.work.layers,
                                 {.sequence = task.sequence,
                                  .tensor = degrees.tensor,
                                  .tensors = degrees.tensors,
                                  .grid = job.prepared.grid.meshes.front().tensor_grid,
                                  .strips = e.parallel.spatial,
                                  .recompute = recomputes_blocks(e),
                                  .seed = options.seed});
  if (!schedule.synchronous) job.model.tied = {};
  job.training = {.task = task,
                  .optimizer = optimizer_of(e, options, mitigations),
                  .spike_delays = mitigations.spike_delays,
                  .replicas = degrees.data,
                  .of_stages = degrees.of_stages,
                  .micro_sequences = e.batch.micro,
                  .step_every = schedule.step_every,
                  .steps = schedule.total_micro_batches() / schedule.step_every,
                  .slice_tokens = slice_tokens(schedule, task.sequence)};
  return job;
}

}  // namespace pipewright::live
