#include "experiment/resolved_document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiment/derived.hpp"
#include "experiment/document_paths.hpp"

namespace pipewright {
namespace {

using config::number;
using config::scalar;
using config::Value;

/// The map at `key`, which is made where it is absent.
Value& map_of(Value& document, const char* key) {
  if (Value* found = document.find(key)) return *found;
  return document.set(key, Value{.kind = Value::Kind::map});
}

Value truth(bool value) { return scalar(value ? "true" : "false"); }

Value tensor_kind(const TensorGrid& grid) {
  if (grid.kind != TensorKind::layered)
    return scalar(grid.kind == TensorKind::square ? "2d" : "3d");
  Value depth;
  depth.set("2.5d", number(grid.sides[2]));
  return depth;
}

/// What was settled: degrees that were left open, and what follows from them.
void settle_parallel(const Experiment& e, Value& document) {
  const Parallel& parallel = e.parallel;
  Value& map = map_of(document, "parallel");
  map.set("tensor", number(parallel.tensor));
  const TensorGrid& grid = parallel.tensor_grid;
  if (grid.kind != TensorKind::signatures && !grid.is_line())
    map.set("tensor_kind", tensor_kind(grid));
  if (!e.synthetic) map.set("pipeline", number(parallel.pipeline));
  if (parallel.data > 0) map.set("data", number(parallel.data));
  if (parallel.gives_virtual) map.set("virtual", number(parallel.virtual_stages));
  if (parallel.shard > 0) {
    for (config::Entry& entry : map.entries)
      if (entry.key == "replicate") entry.key = "shard";  // which says the same
    map.set("shard", number(parallel.shard));
  }
  if (parallel.zero == 3)
    map.set("reshard", truth(parallel.reshard.value_or(parallel.pipeline == 1)));
}

Value strategy_value(const StageMeshes& meshes) {
  Value list;
  list.kind = Value::Kind::list;
  for (const StageMesh& stage : meshes.ranks) {
    Value& entry = list.items.emplace_back(stage.given);
    entry.set("devices", scalar(fmt::format("{}-{}", stage.first_device,
                                            stage.first_device + stage.devices - 1)));
    Value mesh;
    mesh.kind = Value::Kind::list;
    mesh.items = {number(stage.rows), number(stage.columns)};
    entry.set("mesh", std::move(mesh));
    entry.set("tensor", number(stage.tensor));
    entry.set("data", number(stage.data));
    if (!stage.tensor_grid.is_line()) entry.set("tensor_kind", tensor_kind(stage.tensor_grid));
  }
  return list;
}

void settle_batch(const Batch& batch, Value& document) {
  Value& map = map_of(document, "batch");
  if (batch.global > 0) map.set("global", number(batch.global));
  map.set("micro", number(batch.micro));
  if (batch.sequence > 0) map.set("sequence", number(batch.sequence));
}

/// Tells whether one word says all of the precision: formats of products only, as other tools have
/// a word for.
bool is_one_word(const Experiment& e) {
  if (e.precision == DType::nvfp4) return true;
  return e.precision == DType::fp8 && e.scaling == Scaling::delayed && e.amax_over == Axis::stage &&
         !e.autocast;
}

/// Says a recipe of Transformer Engine, or a map that says no more than a word, by what it stands
/// for.
void settle_precision(const Experiment& e, Value& document) {
  const Value* said = document.find("precision");
  if (!said) return;
  const bool is_class = !said->is_map() && std::ranges::count(choices::precision, said->text) == 0;
  if (is_one_word(e)) {
    document.set("precision", scalar(choices::precision[static_cast<size_t>(e.precision)]));
    return;
  }
  if (!is_class) return;
  Value map{.kind = Value::Kind::map};
  map.set("fp8", scalar(choices::precision_fp8[static_cast<size_t>(e.scaling)]));
  document.set("precision", std::move(map));
}

/// How the kernels send tokens where only they are named.
void settle_dispatch(const DispatchOptions& dispatch, Value& document) {
  Value* map = document.find("dispatch");
  if (map && map->is_map())
    map->set("send", scalar(choices::dispatch_send[static_cast<size_t>(dispatch.send)]));
}

/// What a framework overlaps where the user does not say it.
void settle_overlap(const Experiment& e, Value& document) {
  if (!e.overlap.expert && e.framework != Framework::nanotron) return;
  Value& map = map_of(document, "overlap");
  if (e.overlap.expert)
    map.set("expert", scalar(choices::overlap_expert[static_cast<size_t>(*e.overlap.expert)]));
  if (e.framework != Framework::nanotron) return;
  if (!map.find("p2p")) map.set("p2p", scalar("rendezvous"));
  map.set("data", truth(e.overlap.data));
}

Value partition_value(const std::vector<int64_t>& counts) {
  Value list;
  list.kind = Value::Kind::list;
  for (const int64_t count : counts) list.items.push_back(number(count));
  return list;
}

/// Where no framework is given, another one's kernel may run than that of the framework that the
/// document names.
void settle_attention(const Experiment& e, Value& document) {
  if (e.given_framework || e.attention != AttentionChoice::flash) return;
  if (fused_attention(e) == FusedAttention::flash2) document.set("attention", scalar("flash2"));
}

/// nanotron cuts pipelines and compares their collectives in ways of its own where nobody says
/// them. A job of one stage says neither: they are what it would have with more.
bool leaves_pipelines_open(const Experiment& e) {
  return e.framework == Framework::nanotron && e.parallel.pipeline == 1;
}

/// What other keys decide where the user does not.
void settle_derived(const Experiment& e, Value& document) {
  settle_batch(e.batch, document);
  settle_attention(e, document);
  document.set("gradients", scalar(name_of(e.gradients)));
  if (const LossOptions loss = loss_options(e); loss.chunks == 0)
    document.set("loss", scalar(choices::loss[static_cast<size_t>(loss.kernel)]));
  document.set("update", scalar(choices::update[static_cast<size_t>(update_kernels(e))]));
  document.set("framework", scalar(choices::framework[static_cast<size_t>(e.framework)]));
  document.set("kernels", scalar(choices::kernels[static_cast<size_t>(kernel_fusion(e))]));
  if (has_key(e.kind(), "checks") && (e.given_checks || !leaves_pipelines_open(e)))
    document.set("checks", scalar(choices::checks[static_cast<size_t>(collective_checks(e))]));
  settle_precision(e, document);
  settle_dispatch(e.dispatch, document);
  settle_overlap(e, document);
  if (e.outer && !e.gives("placement")) document.set("placement", scalar("tp-cp-ep-pp-dp"));
  // A layout that places predictions says more than a list.
  const bool predicts =
      std::ranges::any_of(e.partition.predictions, [](int64_t count) { return count > 0; });
  if (e.partition.kind == PartitionOptions::Kind::counts && !predicts)
    document.set("partition", partition_value(e.partition.counts));
  if (e.data.bucket) map_of(document, "data").set("bucket", number(e.data.bucket->count));
  if (!e.meshes.empty()) document.set("strategy", strategy_value(e.meshes));
}

}  // namespace

Value resolved_document(const Experiment& experiment) {
  Value document = experiment.document;
  make_paths_absolute(document);
  const ExperimentKind kind = experiment.kind();
  if (has_key(kind, "parallel")) settle_parallel(experiment, document);
  if (has_key(kind, "gradients")) settle_derived(experiment, document);
  fill_defaults(document, kind, experiment);
  if (leaves_pipelines_open(experiment) && !experiment.gives("partition"))
    std::erase_if(document.entries, [](const auto& entry) { return entry.key == "partition"; });
  return document;
}

}  // namespace pipewright
