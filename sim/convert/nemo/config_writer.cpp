// The inverse of config_file.cpp. What NeMo 1 has no key of its own for stands there as the field
// of Megatron-Core's configuration, which build_transformer_config takes by its name.
#include "convert/nemo/config_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/emit.hpp"
#include "convert/job/carried.hpp"
#include "convert/job/hosts.hpp"
#include "convert/megatron/core_config.hpp"
#include "convert/megatron/writers.hpp"
#include "convert/nemo/trainer.hpp"
#include "workload/model/model.hpp"

namespace pipewright::nemo {
namespace {

using config::number;
using config::scalar;
using config::Value;
using megatron::CoreConfig;

/// Fields that NeMo 1 calls by names of its own.
struct RenamedField {
  std::string_view field, key;
};
constexpr RenamedField renamed_fields[] = {
    {"add_bias_linear", "bias"},
    {"add_qkv_bias", "qkv_bias"},
    {"recompute_granularity", "activations_checkpoint_granularity"},
    {"recompute_method", "activations_checkpoint_method"},
    {"recompute_num_layers", "activations_checkpoint_num_layers"},
    {"rotary_percent", "rotary_percentage"}};

/// Fields that other keys say.
constexpr std::string_view said_otherwise[] = {"gated_linear_unit"};

/// NeMo's activations, those with a gate as it calls the fused ones.
std::string activation_of(const Experiment& e, const CoreConfig& core) {
  const bool is_gated = e.model_or_fail().transformer.gated;
  if (core.activation == "silu") return is_gated ? "fast-swiglu" : "swish";
  if (core.activation == "squared_relu") return "squared-relu";
  if (core.activation == "gelu") return is_gated ? "fast-geglu" : "gelu";
  return is_gated ? "fast-swiglu" : core.activation;
}

std::string normalization_of(const CoreConfig& core) {
  const Value* norm = core.model.find("normalization");
  if (norm && norm->text == "RMSNorm") return "rmsnorm";
  return core.model.find("layernorm_zero_centered_gamma") ? "layernorm1p" : "layernorm";
}

void add_fields(const Value& fields, Value& model) {
  for (const config::Entry& entry : fields.entries) {
    const auto* other = std::ranges::find(renamed_fields, entry.key, &RenamedField::field);
    if (std::ranges::find(said_otherwise, entry.key) != std::end(said_otherwise)) continue;
    model.set(other == std::end(renamed_fields) ? std::string_view(entry.key) : other->key,
              entry.value);
  }
}

void add_precision(const Experiment& e, const CoreConfig& core, Value& model) {
  const bool is_half = core.precision.find("bf16") || core.precision.find("fp16");
  if (is_half) model.set("megatron_amp_O2", job::truth(!e.autocast));
  const Value* format = core.precision.find("fp8");
  if (!format) return;
  model.set("fp8", job::truth(true));
  model.set("fp8_e4m3", job::truth(format->text == "e4m3"));
  model.set("fp8_hybrid", job::truth(format->text == "hybrid"));
  model.set("fp8_recipe", *core.precision.find("fp8_recipe"));
  if (core.precision.find("fp8_param_gather")) model.set("fp8_params", job::truth(true));
}

Value optim_of(const CoreConfig& core) {
  const auto holds = [&](const char* key) { return core.ddp.find(key)->text == "true"; };
  Value optim;
  optim.set("name",
            scalar(holds("use_distributed_optimizer") ? "distributed_fused_adam" : "fused_adam"));
  optim.set("overlap_grad_sync", job::truth(holds("overlap_grad_reduce")));
  optim.set("overlap_param_sync", job::truth(holds("overlap_param_gather")));
  optim.set("grad_sync_dtype", scalar(holds("grad_reduce_in_fp32") ? "fp32" : "bf16"));
  return optim;
}

Value model_of(const Experiment& e, const CoreConfig& core) {
  Value model;
  for (const char* key : {"mcore_gpt", "transformer_engine"}) model.set(key, job::truth(true));
  for (const char* key : {"micro_batch_size", "global_batch_size"})
    model.set(key, *core.batch.find(key));
  for (const char* key : {"encoder_seq_length", "max_position_embeddings"})
    model.set(key, number(megatron::sequence_of(e)));
  for (const Value* part : {&core.model, &core.parallel}) add_fields(*part, model);
  // Megatron-LM has no such positions.
  if (e.model_or_fail().transformer.positions == Positions::alibi)
    model.set("position_embedding_type", scalar("alibi"));
  model.set("activation", scalar(activation_of(e, core)));
  model.set("normalization", scalar(normalization_of(core)));
  model.set("override_vocab_size", number(e.model_or_fail().transformer.ends.vocabulary));
  model.set("make_vocab_size_divisible_by", number(1));
  model.set("ub_tp_comm_overlap", *core.overlap.find("tp_comm_overlap"));
  model.set("overlap_p2p_comm", *core.overlap.find("overlap_p2p_comm"));
  add_precision(e, core, model);
  model.set("optim", optim_of(core));
  return model;
}

Value trainer_of(const Experiment& e, const CoreConfig& core) {
  const job::Hosts hosts = job::hosts_of(e);
  Value trainer;
  trainer.set("devices", number(hosts.ranks));
  trainer.set("num_nodes", number(hosts.count));
  trainer.set("accelerator", scalar("gpu"));
  trainer.set("precision", scalar(core.precision.find("bf16")   ? "bf16"
                                  : core.precision.find("fp16") ? "16"
                                                                : "32"));
  if (e.training) {
    const auto step = static_cast<double>(megatron::sequence_of(e) * e.batch.global);
    trainer.set("max_steps", scalar(fmt::format("{:.0f}", e.training->tokens / step)));
  }
  return trainer;
}

/// NeMo 1 does not know Megatron-FSDP.
void check(const Experiment& e) {
  if (e.parallel.zero > 1)
    e.misfit("parallel", "NeMo 1 shards no gradients here: parallel.zero must be 0 or 1");
}

}  // namespace

std::string write_config(const Experiment& experiment, const Value& along) {
  check(experiment);
  const CoreConfig core = megatron::core_config(experiment);
  Value config;
  config.set("trainer", trainer_of(experiment, core));
  config.set("model", model_of(experiment, core));
  Value with_rates = along;
  Value* model = with_rates.find("model");
  const std::string stretched =
      with_stretched_rates(model ? model->find("optim") : nullptr, along, config);
  job::lay_under(config, with_rates);
  return "# a configuration of NeMo 1\n" + stretched + config::to_yaml(config);
}

}  // namespace pipewright::nemo
