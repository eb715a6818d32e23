// The inverse of recipe.cpp.
#include "convert/megatron_bridge/writer.hpp"

#include "config/emit.hpp"
#include "convert/job/carried.hpp"
#include "convert/megatron/along.hpp"
#include "convert/megatron/core_config.hpp"
#include "convert/megatron/lengths.hpp"
#include "convert/megatron/writers.hpp"
#include "convert/megatron_bridge/precision.hpp"
#include "interop/words.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron_bridge {
namespace {

using config::number;
using config::scalar;
using config::Value;
using megatron::CoreConfig;

/// What holds where an experiment says nothing. A recipe in Python may set each of it otherwise.
constexpr std::string_view without = R"(
model:
  kv_channels: null
  num_query_groups: null
  gated_linear_unit: false
  share_embeddings_and_output_weights: true
  add_bias_linear: true
  add_qkv_bias: false
  qk_layernorm: false
  softmax_type: vanilla
  rotary_percent: 1.0
  window_size: null
  window_attn_skip_freq: null
  multi_latent_attention: false
  experimental_attention_variant: null
  num_moe_experts: null
  moe_shared_expert_intermediate_size: null
  moe_router_num_groups: null
  moe_router_group_topk: null
  moe_expert_capacity_factor: null
  moe_layer_freq: 1
  moe_enable_deepep: false
  moe_flex_dispatcher_backend: null
  mtp_num_layers: null
  recompute_granularity: null
  recompute_method: null
  recompute_num_layers: null
  recompute_modules: null
  cpu_offloading: false
  virtual_pipeline_model_parallel_size: null
  pipeline_model_parallel_layout: null
  account_for_embedding_in_pipeline_split: false
  account_for_loss_in_pipeline_split: false
  num_layers_in_first_pipeline_stage: null
  num_layers_in_last_pipeline_stage: null
  context_parallel_size: 1
  cp_comm_type: null
  sequence_parallel: false
  expert_model_parallel_size: 1
  expert_tensor_parallel_size: null
  overlap_moe_expert_parallel_comm: false
optimizer: {optimizer_cpu_offload: false}
ddp: {use_megatron_fsdp: false, bucket_size: null}
dist: {use_megatron_fsdp: false, use_torch_fsdp2: false, use_tp_pp_dp_mapping: false}
checkpoint: {ckpt_format: torch_dist}
tokenizer: {use_tokenizer_vocab_size: false}
comm_overlap: null
)";

Value model_of(const Experiment& e, const CoreConfig& core, Value model) {
  for (const Value* part : {&core.model, &core.parallel, &core.overlap})
    config::merge(model, *part);
  model.set("activation_func", scalar(core.activation));
  model.set("seq_length", number(megatron::sequence_of(e)));
  model.set("vocab_size", number(e.model_or_fail().transformer.ends.vocabulary));
  model.set("should_pad_vocab", job::truth(true));
  // Both ways to send at once exclude each other.
  const bool together = core.overlap.find("overlap_p2p_comm")->text == "true";
  model.set("batch_p2p_comm", job::truth(!together));
  return model;
}

/// A training that is counted in samples has no learning rates that are counted in steps, as those
/// of recipes are (ConfigContainer._validate_training_scheduler_compatibility).
void add_train(const Value& batch, Value& recipe) {
  Value& train = recipe.set("train", batch);
  if (train.find("train_iters")) train.set("train_samples", {});
  if (!train.find("train_samples") || train.find("train_iters")) return;
  train.set("train_iters", {});
  Value& scheduler = recipe.set("scheduler", {});
  scheduler.set("lr_warmup_iters", number(0));
  scheduler.set("lr_decay_iters", {});
}

/// Returns what Megatron Bridge calls by a name, else every field of its configuration.
Value precision_of(const CoreConfig& core) {
  const bool is_wide = core.ddp.find("grad_reduce_in_fp32")->text == "true";
  if (const std::string name = name_of(core.precision, is_wide); !name.empty()) return scalar(name);
  Value precision;
  precision.set("_target_",
                scalar("megatron.bridge.training.mixed_precision.MixedPrecisionConfig"));
  config::merge(precision, core.precision);
  const bool is_half = core.precision.find("bf16") || core.precision.find("fp16");
  if (!is_half) precision.set("fp32", job::truth(true));
  for (const char* key : {"params_dtype", "pipeline_dtype"})
    precision.set(key, megatron::torch_type(core.precision));
  precision.set("autocast_enabled", job::truth(false));
  precision.set("grad_reduce_in_fp32", job::truth(is_wide));
  return precision;
}

/// Returns the number at `key`, or 0 where there is none.
int64_t count_at(const Value* map, std::string_view key) {
  const Value* value = map ? map->find(key) : nullptr;
  return value ? interop::number_of<int64_t>(value->text).value_or(0) : 0;
}

}  // namespace

std::string write_recipe(const Experiment& experiment, const Value& along) {
  const CoreConfig core = megatron::core_config(experiment);
  Value base = config::parse(without, "recipe");
  config::merge(*base.find("optimizer"), core.optimizer);
  config::merge(*base.find("ddp"), core.ddp);
  Value& dist = *base.find("dist");
  if (!core.groups.is_null()) config::merge(dist, core.groups);
  if (const Value* cuts = core.ddp.find("use_megatron_fsdp")) dist.set("use_megatron_fsdp", *cuts);
  Value recipe;
  add_train(megatron::in_unit_of(along, "train", core.batch), recipe);
  recipe.set("mixed_precision", precision_of(core));
  recipe.set("dataset", {}).set("seq_length", number(megatron::sequence_of(experiment)));
  if (!core.checkpoint.is_null()) config::merge(*base.find("checkpoint"), core.checkpoint);
  base.set("model", model_of(experiment, core, *base.find("model")));
  megatron::keep_dispatcher(along.find("model"), *base.find("model"));
  config::merge(recipe, base);
  const Value& train = *recipe.find("train");
  const char* length = train.find("train_samples") && !train.find("train_samples")->is_null()
                           ? "train_samples"
                           : "train_iters";
  const int64_t before = count_at(along.find("train"), length), now = count_at(&train, length);
  Value with_rates = along;
  Value* scheduler = with_rates.find("scheduler");
  const std::vector<megatron::Stretched> stretched =
      scheduler ? megatron::stretch(*scheduler, before, now) : std::vector<megatron::Stretched>();
  job::lay_under(recipe, with_rates);
  return megatron::stretched_lines(stretched, length, before, now) + config::to_yaml(recipe);
}

}  // namespace pipewright::megatron_bridge
