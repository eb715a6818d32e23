#include "experiment/experiment.hpp"

#include <fmt/format.h>

#include "experiment/derived.hpp"
#include "experiment/kind_keys.hpp"
#include "experiment/misplaced_keys.hpp"
#include "experiment/named_modules.hpp"
#include "experiment/readers.hpp"
#include "workload/model/model.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

/// A synthetic model says itself how many ranks there are.
void refuse_other_ranks(const Experiment& e, const SyntheticModel& synthetic) {
  const Value* parallel = e.document.find("parallel");
  const Value* pipeline = parallel ? parallel->find("pipeline") : nullptr;
  if (pipeline && e.parallel.pipeline != synthetic.devices)
    pipeline->fail(fmt::format("parallel.pipeline: the synthetic model has synthetic.devices: {}",
                               synthetic.devices));
}

/// Throws InputError for what a synthetic model cannot have: only its times are known.
void refuse_in_synthetic(const Experiment& e, const SyntheticModel& synthetic) {
  if (!e.meshes.empty())
    e.fail("strategy", "a synthetic model has no layers to place by 'strategy'");
  if (e.offload.any()) e.fail("offload", "a synthetic model has nothing to keep on the host");
  if (e.batch.lengths)
    e.fail("batch.lengths", "batch.lengths: a synthetic model has no tokens to make documents of");
  refuse_other_ranks(e, synthetic);
}

void refuse_beside_peers(const Experiment& e) {
  if (e.offload.any()) e.fail("offload", "offload: peers keep all on their devices");
  if (e.batch.lengths)
    e.fail("batch.lengths", "batch.lengths: micro-batches of peers are alike: whole sequences");
  refuse_keys_of_other_kinds(e.document, ExperimentKind::peers, "peers");
}

void read_model_of(Experiment& e) {
  const Value* model = e.document.find("model");
  if (!model || e.trace || e.traffic) return;
  const Value* synthetic = model->is_map() ? model->find("synthetic") : nullptr;
  if (!synthetic) {
    e.model = std::make_shared<const Model>(read_model(*model));
    return;
  }
  Fields(*model, "a synthetic model", {"synthetic"});
  e.synthetic = read_synthetic(*synthetic);
}

/// Nanotron has one engine for pipelines, which waits for what it sends, and reduces gradients
/// beside the last backward pass only by PyTorch's DDP, without ZeRO.
/// Source: huggingface/nanotron, src/nanotron/trainer.py, parallel/pipeline_parallel/p2p.py.
void settle_nanotron(Experiment& e) {
  const Value* overlap = e.document.find("overlap");
  const auto gives = [&](const char* key) { return overlap && overlap->find(key); };
  if (!gives("p2p")) e.overlap.p2p.mode = SendMode::rendezvous;
  if (!gives("data")) e.overlap.data = e.parallel.zero == 0;
}

void refuse_beside_mesh(const Experiment& e, const Where& where) {
  if (!e.model) throw InputError(where, "parallel.mesh: only a model made of layers has a mesh");
  if (!e.meshes.empty()) throw InputError(where, "parallel: either 'mesh' or 'strategy'");
}

/// What follows from the options alone.
void settle(Experiment& e) {
  const bool half = e.precision == DType::fp16 && !e.autocast;
  e.gradients = e.given_gradients.value_or(half ? DType::fp16 : DType::fp32);
  e.framework = framework(e);
  require_stage_of_framework(e);
  if (e.framework == Framework::nanotron) settle_nanotron(e);
  // A site is a block of devices, with all stages of its replicas.
  if (e.outer && !e.gives("placement"))
    e.placement.order = {Placement::tensor, Placement::context, Placement::pipeline,
                         Placement::data};
  e.meshes = read_stage_meshes(e);
  if (e.synthetic) refuse_in_synthetic(e, *e.synthetic);
  if (!e.meshes.empty()) e.parallel.pipeline = static_cast<int>(e.meshes.ranks.size());
}

}  // namespace

ExperimentKind Experiment::kind() const {
  if (trace) return ExperimentKind::trace;
  if (traffic) return ExperimentKind::traffic;
  if (peers) return ExperimentKind::peers;
  return synthetic ? ExperimentKind::synthetic : ExperimentKind::model;
}

const Value& Experiment::at(std::string_view key) const {
  if (const Value* value = document.find(key)) return *value;
  const char* hint = key == "schedule" ? ", such as 'schedule: 1f1b'" : "";
  document.lacks(fmt::format("an experiment needs the key '{}'{}", key, hint));
}

const Model& Experiment::model_or_fail() const {
  if (!model) at("model").misfit("the experiment needs a model made of layers");
  return *model;
}

Where Experiment::where(std::string_view path) const {
  const Value* at = &document;
  while (!path.empty() && at->is_map()) {
    const std::string_view key = path.substr(0, path.find('.'));
    path = key.size() == path.size() ? std::string_view{} : path.substr(key.size() + 1);
    const Value* inner = at->find(key);
    if (!inner) break;
    at = inner;
  }
  return at->mark.where();
}

void Experiment::fail(std::string_view path, const std::string& message) const {
  throw InputError(where(path), message);
}

void Experiment::misfit(std::string_view path, const std::string& message) const {
  throw Misfit(where(path), message);
}

bool has_experts(const Experiment& e) {
  return e.model && e.model->transformer.experts.has_value();
}

Experiment read_experiment(const Value& given) {
  refuse_misplaced_keys(given);
  Value document = given;
  const std::optional<DeviceMesh> mesh = spell_out_mesh(document);
  Experiment e{read_options(document)};
  e.document = std::move(document);
  e.device_mesh = mesh;
  read_replacement(e);
  read_model_of(e);
  require_named_modules(e);
  settle(e);
  if (mesh) refuse_beside_mesh(e, mesh->where);
  if (const Value* peers = e.document.find("peers")) {
    refuse_beside_peers(e);
    e.peers = *peers;
  }
  return e;
}

void refuse_simulated_only(const Experiment& e, std::string_view done) {
  for (const char* key : {"traffic", "peers"})
    if (e.gives(key))
      e.fail(key, fmt::format("{}: it has no schedule and cannot be {}", key, done));
  if (e.offload.any())
    e.fail("offload",
           fmt::format("offload: copies to and from the host cannot be {} by this version", done));
  if (e.outer)
    e.fail("outer", fmt::format("outer: outer steps cannot be {} by this version", done));
  if (e.batch.lengths)
    e.fail("batch.lengths",
           fmt::format("batch.lengths: documents of unequal length cannot be {} by this version",
                       done));
}

}  // namespace pipewright
