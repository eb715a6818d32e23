// The inverse of megatron_job.cpp. Arguments are those of megatron/arguments.py of
// deepspeedai/Megatron-DeepSpeed in July 2025, which parted from Megatron-LM in 2023.
#include "convert/deepspeed/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "convert/deepspeed/along.hpp"
#include "convert/job/carried.hpp"
#include "convert/job/hosts.hpp"
#include "convert/job/json_text.hpp"
#include "convert/megatron/along.hpp"
#include "convert/megatron/writers.hpp"
#include "interop/words.hpp"

namespace pipewright::deepspeed {
namespace {

using config::number;
using config::scalar;
using config::Value;
using megatron::ArgumentLine;
using megatron::ArgumentLines;

/// Arguments of Megatron-LM that Megatron-DeepSpeed has under the same name.
constexpr std::string_view shared[] = {"num-layers",
                                       "hidden-size",
                                       "num-attention-heads",
                                       "kv-channels",
                                       "ffn-hidden-size",
                                       "swiglu",
                                       "tokenizer-type",
                                       "vocab-size",
                                       "make-vocab-size-divisible-by",
                                       "untie-embeddings-and-output-weights",
                                       "max-position-embeddings",
                                       "disable-bias-linear",
                                       "attention-dropout",
                                       "hidden-dropout",
                                       "tensor-model-parallel-size",
                                       "pipeline-model-parallel-size",
                                       "sequence-parallel",
                                       "micro-batch-size",
                                       "global-batch-size",
                                       "seq-length",
                                       "train-samples",
                                       "train-iters",
                                       "fp16",
                                       "bf16",
                                       "recompute-granularity",
                                       "recompute-method",
                                       "recompute-num-layers"};

/// Adds `line` as Megatron-DeepSpeed has it; nothing where the configuration says it.
void add(const ArgumentLine& line, ArgumentLines& out) {
  if (std::find(std::begin(shared), std::end(shared), line.name) != std::end(shared)) {
    if (line.value.empty())
      out.add(line.name);
    else
      out.add(line.name, line.value);
  } else if (line.name == "num-query-groups") {
    out.add("num-key-value-heads", line.value);
  } else if (line.name == "normalization") {
    out.add("normalization", interop::lower_case(line.value));
  } else if (line.name == "position-embedding-type" && line.value == "rope") {
    out.add("use-rotary-position-embeddings");
  } else if (line.name == "position-embedding-type" && line.value == "none") {
    out.add("no-position-embedding");
  }
}

/// Adds the arguments that go along and that the job does not say.
void add_along(const Value& along, ArgumentLines& out) {
  const Value* said = along.find(arguments_along);
  if (!said) return;
  for (const config::Entry& entry : said->entries) {
    const bool is_known = std::ranges::any_of(
        out.lines(), [&](const ArgumentLine& line) { return line.name == entry.key; });
    if (!is_known) out.add({entry.key, megatron::in_script(entry.value)});
  }
}

ArgumentLines arguments(const Experiment& e, const Value& along) {
  ArgumentLines out;
  const ArgumentLines theirs = megatron::all_arguments(e);
  for (const ArgumentLine& line : theirs.lines()) add(line, out);
  if (e.parallel.context > 1) out.add("ds-sequence-parallel-size", e.parallel.context);
  const config::Value* attention = e.document.find("attention");
  if (!attention || attention->text != "unfused") out.add("use-flash-attn-v2");
  const config::Value* recompute = e.document.find("recompute");
  if (recompute && recompute->text == "full") out.add("deepspeed-activation-checkpointing");
  if (e.parallel.pipeline == 1) out.add("no-pipeline-parallel");
  out.add("zero-stage", e.parallel.zero);
  add_along(along, out);
  out.add("deepspeed");
  out.add("deepspeed_config", "ds_config.json");
  return out;
}

std::string_view optimizer_of(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::adamw:
      return "AdamW";
    case Optimizer::lamb:
      return "Lamb";
    case Optimizer::sgd:
    case Optimizer::momentum:
      return "SGD";
    default:
      return "Adam";
  }
}

Value zero(const Experiment& e) {
  const Parallel& p = e.parallel;
  Value zero;
  zero.set("stage", number(p.zero));
  zero.set("overlap_comm", job::truth(e.overlap.data));
  const int64_t width = e.gradients == DType::fp32 ? 4 : 2;
  if (e.data.bucket) zero.set("reduce_bucket_size", number(e.data.bucket->count / width));
  if (p.shard > 0) zero.set("mics_shard_size", number(p.shard));
  if (p.secondary > 0) zero.set("zero_hpz_partition_size", number(p.secondary));
  if (p.gathered == GatheredWeights::int8) zero.set("zero_quantized_weights", job::truth(true));
  if (p.scattered == ScatteredGradients::int4)
    zero.set("zero_quantized_gradients", job::truth(true));
  if (e.offload.optimizer && p.zero > 0)
    zero.set("offload_optimizer", {}).set("device", scalar("cpu"));
  return zero;
}

std::string configuration(const Experiment& e, const Value& along) {
  Value config;
  config.set("train_batch_size", number(e.batch.global));
  config.set("train_micro_batch_size_per_gpu", number(e.batch.micro));
  if (e.precision == DType::bf16 || e.precision == DType::fp16)
    config.set(name_of(e.precision), {}).set("enabled", job::truth(true));
  config.set("data_types", {}).set("grad_accum_dtype", scalar(name_of(e.gradients)));
  if (e.offload.activations)
    config.set("activation_checkpointing", {}).set("cpu_checkpointing", job::truth(true));
  Value& optimizer = config.set("optimizer", {});
  optimizer.set("type", scalar(optimizer_of(e.optimizer)));
  if (e.optimizer == Optimizer::momentum)
    optimizer.set("params", {}).set("momentum", scalar("0.9"));
  config.set("zero_optimization", zero(e));
  Value rest = along;
  std::erase_if(rest.entries,
                [](const config::Entry& entry) { return entry.key == arguments_along; });
  job::lay_under(config, rest);
  return job::to_json(config) + '\n';
}

std::string launcher(const Experiment& e) {
  const job::Hosts hosts = job::hosts_of(e);
  return fmt::format("deepspeed{} --num_nodes {} --num_gpus {} pretrain_gpt.py",
                     hosts.count > 1 ? " --hostfile \"${HOSTFILE:-/job/hostfile}\"" : "",
                     hosts.count, hosts.ranks);
}

}  // namespace

std::string write_job(const Experiment& experiment, const Value& along) {
  return fmt::format(
      "#!/bin/bash\ncat > ds_config.json <<'EOF'\n{}EOF\n\nARGS=(\n{})\n\n{} \"${{ARGS[@]}}\" "
      "\"$@\"\n",
      configuration(experiment, along), arguments(experiment, along).text(), launcher(experiment));
}

std::string started(const Experiment& experiment) {
  const job::Hosts hosts = job::hosts_of(experiment);
  if (hosts.count == 1) return {};
  return fmt::format("start it on one host: HOSTFILE names {} hosts, each with slots={}",
                     hosts.count, hosts.ranks);
}

}  // namespace pipewright::deepspeed
