// After torchtitan/config/job_config.py and its forerunners: sections have moved (training to
// parallelism in late 2024), and so have names of keys; all are read.
#include "convert/torchtitan/job_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/documents.hpp"
#include "convert/job/toml.hpp"
#include "convert/torchtitan/along.hpp"
#include "convert/torchtitan/batch.hpp"
#include "convert/torchtitan/flavors.hpp"
#include "convert/torchtitan/keys.hpp"
#include "convert/torchtitan/precision.hpp"
#include "convert/torchtitan/recompute.hpp"
#include "interop/words.hpp"

namespace pipewright::torchtitan {
namespace {

using config::number;
using config::scalar;
using config::Value;

Value read_optimizer(job::Settings& settings) {
  const std::string optimizer = interop::lower_case(settings.text({"optimizer.name"}, "AdamW"));
  if (optimizer == "adam" || optimizer == "adamw") return scalar(optimizer);
  settings.refuse("optimizer.name", optimizer + " cannot be said: it is Adam or AdamW");
  return scalar("adamw");
}

Value read_overlap(job::Settings& settings, const Degrees& degrees) {
  Value overlap;
  const bool async = settings.truth(
      {"parallelism.enable_async_tensor_parallel", "experimental.enable_async_tensor_parallel"},
      false);
  const bool cuts = degrees.shard * degrees.context > 1;
  if (async && degrees.tensor > 1 && cuts) {
    settings.import().slight.push_back(
        "enable_async_tensor_parallel: products are taken to wait for tensor collectives, as they "
        "are split beside whole weights only here, not beside ZeRO 3");
    for (const char* section : {"parallelism", "experimental"})
      settings.import().idle.push_back(fmt::format("{}.enable_async_tensor_parallel", section));
  } else if (async && degrees.tensor > 1)
    overlap.set("tensor", {}).set("chunked", number(degrees.tensor));
  // Of DualPipe-V only, where it is the default here too.
  const bool pairs =
      settings.truth({"parallelism.pipeline_parallel_expert_parallel_overlap"}, true);
  if (!pairs && degrees.expert > 1) overlap.set("expert", scalar("none"));
  return overlap;
}

/// torch.compile compiles the model where compile.components names it; without them all.
bool compiles(job::Settings& settings) {
  const bool asked = settings.truth({"compile.enable", "training.compile"}, false);
  const Value* components = settings.find("compile.components");
  if (!components || !components->is_list()) return asked;
  return asked && std::any_of(components->items.begin(), components->items.end(),
                              [](const Value& item) { return item.text == "model"; });
}

/// Since August 2026 a step is a CUDA graph where nobody says otherwise (_validate_cuda_graphs of
/// torchtitan/trainer.py); before that the key was not there.
void write_launches(job::Settings& settings, const Degrees& degrees, Value& e) {
  const char* const key = "training.disable_cuda_graphs";
  if (settings.truth({key}, true)) return;
  // HybridEP with a capacity is what needs no number of the host.
  const Value* capacity = settings.find("model.non_blocking_capacity_factor");
  const bool is_free =
      settings.text({"parallelism.expert_parallel_comm_backend"}, "standard") == "hybridep" &&
      capacity && !capacity->is_null();
  const bool waits = degrees.expert > 1 && !is_free;
  if (e.find("parallel")->find("pipeline")->text != "1" || waits)
    throw InputError(
        settings.where(key),
        fmt::format("torchtitan stops here, as CUDA graphs know no {}: {} must be true",
                    waits ? "experts that wait for the host" : "pipeline", key));
  e.set("launches", scalar("graph"));
}

/// Since 2026 the head and its loss go by pieces of a micro-batch's tokens (ChunkedLossWrapper of
/// torchtitan/components/loss.py). Tensor ranks that share the logits have no such head here.
void write_loss(job::Settings& settings, const Degrees& degrees, Value& e) {
  const char* const key = "loss.num_chunks";
  if (degrees.tensor > 1 || !settings.has(key)) return;
  e.set("loss", {}).set("chunks", number(settings.integer({key}, 8, 1)));
}

/// How the kernels and messages of a step go.
void write_execution(job::Settings& settings, const Degrees& degrees, Value& e) {
  e.set("optimizer", read_optimizer(settings));
  // FSDP offloads the shards of what it cuts; here only whole weights are offloaded.
  const bool cuts = e.find("parallel")->find("zero")->text != "0";
  if (settings.truth({"training.enable_cpu_offload"}, false) && cuts)
    settings.refuse(
        "training.enable_cpu_offload",
        "cannot be said: FSDP cuts the weights, and only whole ones are offloaded here");
  e.set("kernels", scalar(compiles(settings) ? "fused" : "eager"));
  if (Value overlap = read_overlap(settings, degrees); overlap.is_map())
    e.set("overlap", std::move(overlap));
  const std::string backend =
      settings.text({"parallelism.expert_parallel_comm_backend"}, "standard");
  const bool sends_once = backend == "deepep" || backend == "hybridep";
  if (!sends_once && backend != "standard")
    settings.refuse("parallelism.expert_parallel_comm_backend",
                    backend + " cannot be said: it is standard, deepep or hybridep");
  if (e.find("model")->find("transformer")->find("experts"))
    e.set("dispatch", scalar(sends_once ? "once-a-node" : "each-copy"));
  write_launches(settings, degrees, e);
  write_loss(settings, degrees, e);
}

/// Stages that are alike need no partition.
bool is_even(const std::vector<int>& counts) {
  return std::all_of(counts.begin(), counts.end(), [&](int n) { return n == counts.front(); });
}

void write_training(job::Settings& settings, const Batch& batch, const Degrees& degrees,
                    const Pipeline& pipeline, Value& e) {
  const int64_t global = read_global_batch(settings, batch, degrees, pipeline);
  Value& sizes = e.set("batch", {});
  sizes.set("global", number(global));
  sizes.set("micro", number(pipeline.micro));
  sizes.set("sequence", number(batch.sequence));
  e.set("schedule", scalar(pipeline.schedule));
  if (!is_even(pipeline.partition)) e.set("partition", job::list_of(pipeline.partition));
  const double tokens = read_tokens(settings, batch.sequence, global);
  e.set("training", {}).set("tokens", scalar(fmt::format("{:.0f}", tokens)));
}

void write_experiment(job::Settings& settings) {
  Value& e = settings.import().experiment;
  Value model = read_flavor(settings);
  const Value& transformer = *model.find("transformer");
  const int64_t layers = config::as_int(*transformer.find("layers"), 1, 1'000'000);
  const bool has_experts = transformer.find("experts") != nullptr;
  e.set("model", std::move(model));
  const Batch batch = read_batch(settings);
  const Pipeline pipeline = read_pipeline(settings, layers, batch.at_once);
  const Degrees degrees = read_degrees(settings, pipeline, has_experts);
  e.set("parallel", read_parallel(settings, degrees, pipeline));
  job::assume_cluster(settings.import(), settings.source(), degrees.world,
                      std::min<int64_t>(degrees.world, 8));
  e.set("framework", scalar("torchtitan"));
  write_training(settings, batch, degrees, pipeline, e);
  // maybe_enable_amp of torchtitan/distributed/utils.py.
  const bool cuts = degrees.shard * degrees.context > 1;
  const bool is_mixed = cuts || (degrees.tensor == 1 && pipeline.ranks == 1);
  e.set("precision", read_precision(settings, is_mixed));
  read_gathered(settings, e);
  read_weights(settings, e);
  Value recompute = read_recompute(settings, layers, pipeline.ranks * pipeline.stages_of_a_rank);
  if (!recompute.is_null()) e.set("recompute", std::move(recompute));
  write_execution(settings, degrees, e);
}

}  // namespace

job::Import import_job_file(const job::Source& source) {
  for (const auto& [name, value] : source.given)
    if (name != "NGPU")
      throw InputError(
          fmt::format("--define {}={}: a job file of torchtitan takes NGPU only", name, value));
  for (const job::Further& further : source.further)
    if (further.text && !further.word.ends_with(".json"))
      throw InputError({further.word, 1, 1},
                       "a job of torchtitan is one file, which words KEY=VALUE change");
  Value document = job::read_toml(source.text, source.file);
  job::apply_words(source, document);
  job::Import out;
  out.from = "a job file of torchtitan";
  return import_document(std::move(document), source, other_keys(), std::move(out));
}

job::Import import_document(Value document, const job::Source& source,
                            std::span<const job::Key> keys, job::Import import) {
  job::Settings settings(std::move(document), source, import);
  if (!settings.has("model") && !settings.has("training"))
    throw InputError(settings.where(""), "no [model] and no [training] of torchtitan is here");
  write_experiment(settings);
  settings.review(keys, "torchtitan");
  carry_along(import, settings);
  return import;
}

}  // namespace pipewright::torchtitan
