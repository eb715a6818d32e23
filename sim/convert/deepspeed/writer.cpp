// The inverse of megatron_job.cpp. Arguments are those of megatron/arguments.py of
// deepspeedai/Megatron-DeepSpeed in July 2025, which parted from Megatron-LM in 2023.
#include "convert/deepspeed/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "convert/megatron/writers.hpp"
#include "interop/words.hpp"

namespace pipewright::deepspeed {
namespace {

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

ArgumentLines arguments(const Experiment& e) {
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

std::string zero(const Experiment& e) {
  const Parallel& p = e.parallel;
  std::string text = fmt::format("\"stage\": {}, \"overlap_comm\": {}", p.zero, e.overlap.data);
  const int64_t width = e.gradients == DType::fp32 ? 4 : 2;
  if (e.data.bucket)
    text += fmt::format(", \"reduce_bucket_size\": {}", e.data.bucket->count / width);
  if (p.shard > 0) text += fmt::format(", \"mics_shard_size\": {}", p.shard);
  if (p.secondary > 0) text += fmt::format(", \"zero_hpz_partition_size\": {}", p.secondary);
  if (p.gathered == GatheredWeights::int8) text += ", \"zero_quantized_weights\": true";
  if (p.scattered == ScatteredGradients::int4) text += ", \"zero_quantized_gradients\": true";
  if (e.offload.optimizer && p.zero > 0) text += R"(, "offload_optimizer": {"device": "cpu"})";
  return text;
}

std::string configuration(const Experiment& e) {
  std::string text =
      fmt::format("{{\n  \"train_batch_size\": {},\n  \"train_micro_batch_size_per_gpu\": {},\n",
                  e.batch.global, e.batch.micro);
  if (e.precision == DType::bf16 || e.precision == DType::fp16)
    text += fmt::format("  \"{}\": {{\"enabled\": true}},\n", name_of(e.precision));
  text +=
      fmt::format("  \"data_types\": {{\"grad_accum_dtype\": \"{}\"}},\n", name_of(e.gradients));
  if (e.offload.activations)
    text += "  \"activation_checkpointing\": {\"cpu_checkpointing\": true},\n";
  text += fmt::format("  \"optimizer\": {{\"type\": \"{}\"{}}},\n", optimizer_of(e.optimizer),
                      e.optimizer == Optimizer::momentum ? R"(, "params": {"momentum": 0.9})" : "");
  return text + fmt::format("  \"zero_optimization\": {{{}}}\n}}\n", zero(e));
}

std::string launcher(const Experiment& e) {
  const Parallel& p = e.parallel;
  const int64_t devices = int64_t{p.tensor} * p.pipeline * p.context * std::max(p.data, 1);
  const int64_t per_node = std::gcd(devices, int64_t{8});
  return fmt::format("deepspeed --num_nodes {} --num_gpus {} pretrain_gpt.py", devices / per_node,
                     per_node);
}

}  // namespace

std::string write_job(const Experiment& experiment) {
  return fmt::format(
      "#!/bin/bash\ncat > ds_config.json <<EOF\n{}EOF\n\nARGS=(\n{})\n\n{} \"${{ARGS[@]}}\" "
      "\"$@\"\n",
      configuration(experiment), arguments(experiment).text(), launcher(experiment));
}

}  // namespace pipewright::deepspeed
