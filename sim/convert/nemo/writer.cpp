// The inverse of recipe.cpp: a call of pretrain with the classes that it is given.
#include "convert/nemo/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/emit.hpp"
#include "convert/job/carried.hpp"
#include "convert/job/hosts.hpp"
#include "convert/megatron/activation.hpp"
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

/// Returns a call of a class of NeMo's or Megatron-Core's.
Value call(std::string_view name) {
  Value value;
  value.set("_target_", scalar(name));
  return value;
}

Value call(std::string_view name, const Value& arguments) {
  Value value = call(name);
  config::merge(value, arguments);
  return value;
}

/// A mock stands for data that nobody says.
Value data_of(const Experiment& e, const CoreConfig& core, const Value& along) {
  const Value* said = job::value_at(along, "data._target_");
  Value data = call(said ? said->text : "nemo.collections.llm.gpt.data.mock.MockDataModule");
  data.set("seq_length", number(megatron::sequence_of(e)));
  for (const char* key : {"micro_batch_size", "global_batch_size"})
    data.set(key, *core.batch.find(key));
  return data;
}

/// Said to the model, the size of a vocabulary is not padded.
Value recipe_model(const Experiment& e, const CoreConfig& core) {
  Value config = call("nemo.collections.llm.gpt.model.base.GPTConfig", core.model);
  std::erase_if(config.entries,
                [](const config::Entry& entry) { return entry.key.starts_with("rope_scaling"); });
  config.set("activation_func", megatron::activation_function(core.activation));
  config.set("seq_length", number(megatron::sequence_of(e)));
  config.set("vocab_size", number(e.model_or_fail().transformer.ends.vocabulary));
  Value model = call("nemo.collections.llm.gpt.model.base.GPTModel");
  model.set("config", std::move(config));
  return model;
}

Value recipe_optim(const CoreConfig& core) {
  Value optim = call("nemo.lightning.pytorch.optim.megatron.MegatronOptimizerModule");
  optim.set("config",
            call("megatron.core.optimizer.optimizer_config.OptimizerConfig", core.optimizer));
  return optim;
}

/// NeMo calls Megatron-FSDP by a word of its own.
Value strategy_of(const CoreConfig& core) {
  Value strategy =
      call("nemo.lightning.pytorch.strategies.megatron_strategy.MegatronStrategy", core.parallel);
  if (!core.groups.is_null()) config::merge(strategy, core.groups);
  strategy.set("pipeline_dtype", megatron::torch_type(core.precision));
  Value ddp = call(
      "megatron.core.distributed.distributed_data_parallel_config.DistributedDataParallelConfig",
      core.ddp);
  if (ddp.find("use_megatron_fsdp")) strategy.set("fsdp", scalar("megatron"));
  std::erase_if(ddp.entries,
                [](const config::Entry& entry) { return entry.key == "use_megatron_fsdp"; });
  strategy.set("ddp", std::move(ddp));
  return strategy;
}

Value plugins_of(const CoreConfig& core) {
  Value plugins = call("nemo.lightning.pytorch.plugins.mixed_precision.MegatronMixedPrecision");
  plugins.set("precision", scalar(core.precision.find("bf16")   ? "bf16-mixed"
                                  : core.precision.find("fp16") ? "16-mixed"
                                                                : "32"));
  for (const config::Entry& entry : core.precision.entries)
    if (entry.key != "bf16" && entry.key != "fp16") plugins.set(entry.key, entry.value);
  for (const char* key : {"params_dtype", "pipeline_dtype"})
    plugins.set(key, megatron::torch_type(core.precision));
  plugins.set("autocast_enabled", job::truth(false));
  plugins.set("grad_reduce_in_fp32", *core.ddp.find("grad_reduce_in_fp32"));
  return plugins;
}

/// The callback that decides what hides.
Value overlap_of(const CoreConfig& core) {
  Value callback =
      call("nemo.lightning.pytorch.callbacks.megatron_comm_overlap.MegatronCommOverlapCallback",
           core.overlap);
  for (const char* key : {"overlap_grad_reduce", "overlap_param_gather"})
    callback.set(key, *core.ddp.find(key));
  return callback;
}

/// Returns the tokens of a step.
double step_of(const Experiment& e) {
  return static_cast<double>(megatron::sequence_of(e) * e.batch.global);
}

Value recipe_trainer(const Experiment& e, const CoreConfig& core) {
  const job::Hosts hosts = job::hosts_of(e);
  Value trainer = call("nemo.lightning.pytorch.trainer.Trainer");
  trainer.set("accelerator", scalar("gpu"));
  trainer.set("devices", number(hosts.ranks));
  trainer.set("num_nodes", number(hosts.count));
  if (e.training)
    trainer.set("max_steps", scalar(fmt::format("{:.0f}", e.training->tokens / step_of(e))));
  trainer.set("strategy", strategy_of(core));
  trainer.set("plugins", plugins_of(core));
  Value callbacks;
  callbacks.kind = Value::Kind::list;
  callbacks.items.push_back(overlap_of(core));
  trainer.set("callbacks", std::move(callbacks));
  return trainer;
}

}  // namespace

bool says_constant(const Experiment& experiment, const ModelConstant& constant) {
  // Llama's stretching is of a class of its own.
  const config::Value* kind = constant.said.find("rope_type");
  const bool is_of_class = kind && kind->text != "linear";
  return !is_of_class && megatron::core_says_constant(experiment, constant);
}

std::string write_recipe(const Experiment& experiment, const Value& along) {
  const CoreConfig core = megatron::core_config(experiment);
  Value recipe = call("nemo.collections.llm.api.pretrain");
  recipe.set("_partial_", job::truth(true));
  recipe.set("data", data_of(experiment, core, along));
  recipe.set("model", recipe_model(experiment, core));
  recipe.set("optim", recipe_optim(core));
  recipe.set("trainer", recipe_trainer(experiment, core));
  Value with_rates = along;
  const std::string stretched = with_stretched_rates(with_rates.find("optim"), along, recipe);
  job::lay_under(recipe, with_rates);
  return "# a recipe of NeMo 2: NeMo 1 has configurations of another form\n" + stretched +
         config::to_yaml(recipe);
}

}  // namespace pipewright::nemo
