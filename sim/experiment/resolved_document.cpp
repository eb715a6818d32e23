#include "experiment/resolved_document.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "config/catalogue.hpp"

namespace pipewright {
namespace {

namespace fs = std::filesystem;

using config::number;
using config::scalar;
using config::Value;

const char* name(DType dtype) {
  constexpr const char* names[] = {"fp32", "tf32", "fp16", "bf16", "fp8", "nvfp4"};
  return names[static_cast<size_t>(dtype)];
}

Value truth(bool value) { return scalar(value ? "true" : "false"); }

Value tensor_kind(const TensorGrid& grid) {
  if (grid.kind != TensorKind::layered)
    return scalar(grid.kind == TensorKind::square ? "2d" : "3d");
  Value depth;
  depth.set("2.5d", number(grid.sides[2]));
  return depth;
}

Value context_value(const Parallel& parallel) {
  constexpr const char* exchanges[] = {"ring", "ulysses", "all-gather"};
  const ContextOptions& options = parallel.context_options;
  const bool usual = options.exchange == ContextExchange::ring && options.zigzag;
  if (usual) return number(parallel.context);
  Value map;
  map.set("degree", number(parallel.context));
  map.set("exchange", scalar(exchanges[static_cast<size_t>(options.exchange)]));
  map.set("order", scalar(options.zigzag ? "zigzag" : "contiguous"));
  return map;
}

Value parallel_value(const Parallel& parallel) {
  Value map;
  map.set("tensor", number(parallel.tensor));
  if (parallel.tensor_grid.kind == TensorKind::signatures)
    map.set("sbp", parallel.signatures.given);
  else if (!parallel.tensor_grid.is_line())
    map.set("tensor_kind", tensor_kind(parallel.tensor_grid));
  map.set("pipeline", number(parallel.pipeline));
  map.set("data", number(parallel.data));
  if (parallel.gives_virtual) map.set("virtual", number(parallel.virtual_stages));
  if (parallel.sequence) map.set("sequence", truth(*parallel.sequence));
  if (parallel.spatial > 1)
    map.set("spatial", number(parallel.spatial));
  else
    map.set("context", context_value(parallel));
  map.set("expert", number(parallel.expert));
  map.set("zero", number(parallel.zero));
  if (parallel.zero != 3) return map;
  if (parallel.shard > 0) map.set("shard", number(parallel.shard));
  map.set("reshard", truth(parallel.reshard.value_or(parallel.pipeline == 1)));
  map.set("prefetch", number(parallel.prefetch));
  return map;
}

Value strategy_value(const StageMeshes& meshes) {
  Value list;
  list.kind = Value::Kind::list;
  for (const StageMesh& stage : meshes.stages) {
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

Value batch_value(const Batch& batch, const Value* given) {
  Value map;
  map.set("global", number(batch.global));
  map.set("micro", number(batch.micro));
  if (batch.sequence > 0) map.set("sequence", number(batch.sequence));
  if (const Value* lengths = given ? given->find("lengths") : nullptr) map.set("lengths", *lengths);
  return map;
}

Value tensor_value(const Overlap& overlap) {
  constexpr const char* names[] = {"none", "chunked", "domino"};
  const char* name = names[static_cast<size_t>(overlap.tensor)];
  if (overlap.tensor_pieces == 0) return scalar(name);
  Value pieces;
  pieces.set(name, number(overlap.tensor_pieces));
  if (overlap.tensor_columns > 1) pieces.set("columns", number(overlap.tensor_columns));
  if (overlap.tensor_by_layer && overlap.tensor_columns == 1)
    pieces.set("intra_layer", truth(true));
  return pieces;
}

Value overlap_value(const Overlap& overlap) {
  Value map;
  if (overlap.p2p == SendMode::buffered) {
    Value buffered;
    buffered.set("buffered", number(overlap.buffer.count));
    map.set("p2p", std::move(buffered));
  } else {
    constexpr const char* modes[] = {"async", "buffered", "sender", "rendezvous"};
    map.set("p2p", scalar(modes[static_cast<size_t>(overlap.p2p)]));
  }
  map.set("data", truth(overlap.data));
  if (!overlap.optimizer) map.set("optimizer", truth(false));
  map.set("tensor", tensor_value(overlap));
  return map;
}

/// A path as it is from anywhere: a result is run again from wherever it lies.
void make_absolute(Value& value) {
  constexpr std::string_view csv = "torch-csv:";
  const std::string_view kind = value.text.starts_with(csv) ? csv : "";
  const fs::path said = value.text.substr(kind.size());
  if (!said.has_parent_path() && !said.has_extension()) return;  // a name of the catalogue
  const std::string seen = config::path_seen_from(said.string(), value.mark);
  std::error_code ignored;
  if (!fs::is_regular_file(seen, ignored)) return;
  value.text = fmt::format("{}{}", kind, fs::absolute(seen).lexically_normal().string());
}

/// Of the files that an experiment names.
void make_paths_absolute(Value& document) {
  for (const char* key : {"cluster", "profile", "schedule", "trace", "traffic"}) {
    Value* value = document.find(key);
    if (value && value->is_scalar()) make_absolute(*value);
    if (!value || !value->is_map()) continue;
    for (config::Entry& entry : value->entries)
      if (entry.value.is_scalar()) make_absolute(entry.value);
  }
}

}  // namespace

Value resolved_document(const Experiment& experiment) {
  Value document = experiment.document;
  make_paths_absolute(document);
  const auto fill = [&](const char* key, Value value) {
    if (!document.find(key)) document.set(key, std::move(value));
  };
  fill("network", scalar(experiment.network));
  if (!experiment.has_schedule()) return document;
  document.set("overlap", overlap_value(experiment.overlap));
  document.set("iterations", number(experiment.iterations));
  if (experiment.synthetic) return document;
  if (experiment.overlap.bucket) {
    Value data;
    data.set("bucket", number(experiment.overlap.bucket->count));
    document.set("data", std::move(data));
  }
  document.set("parallel", parallel_value(experiment.parallel));
  document.set("batch", batch_value(experiment.batch, document.find("batch")));
  fill("precision", scalar(name(experiment.precision)));
  fill("gradients", scalar(name(experiment.gradients)));
  fill("optimizer", scalar("adam"));
  fill("recompute", scalar("none"));
  fill("offload", scalar("none"));
  fill("attention", scalar("flash"));
  fill("profile", scalar("auto"));
  if (!experiment.meshes.stages.empty()) {
    document.set("strategy", strategy_value(experiment.meshes));
    return document;
  }
  fill("placement", scalar("tp-cp-ep-dp-pp"));
  fill("partition", scalar("even"));
  return document;
}

}  // namespace pipewright
