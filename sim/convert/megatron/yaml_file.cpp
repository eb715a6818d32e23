// After megatron/training/yaml_arguments.py and examples/gpt3/gpt_config.yaml: fields of
// TransformerConfig in `language_model`, of ModelParallelConfig in `model_parallel`, and arguments
// beside them.
#include "convert/megatron/yaml_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/documents.hpp"
#include "convert/megatron/document.hpp"
#include "convert/megatron/translation.hpp"

namespace pipewright::megatron {
namespace {

using config::Value;
using job::Effect;

constexpr job::Key keys[] = {
    {"group_query_attention", Effect::nothing, "language_model.num_query_groups says it"},
    {"add_position_embedding", Effect::nothing, "position_embedding_type says it"},
    {"bert_binary_head", Effect::nothing, "of other programs"},
    {"delay_grad_reduce", Effect::nothing, "buckets are reduced as they are complete"},
    {"delay_param_gather", Effect::nothing, "weights are gathered as they are needed"},
    {"enable_one_logger", Effect::nothing, "logs"},
    {"log_learning_rate_to_tensorboard", Effect::nothing, "logs"},
    {"language_model.layernorm_zero_centered_gamma", Effect::nothing, "losses"},
    {"language_model.memory_efficient_layer_norm", Effect::slight,
     "norms are taken to keep their inputs", "False|false"},
    {"language_model.init_method", Effect::nothing, "weights at the start"},
    {"language_model.output_layer_init_method", Effect::nothing, "weights at the start"},
    {"language_model.fp8_wgrad", Effect::refused, "weight gradients in another format",
     "True|true"},
    {"language_model.moe_token_dropping", Effect::refused, "say moe_expert_capacity_factor",
     "False|false"},
    {"model_parallel.perform_initialization", Effect::nothing, "weights at the start"},
    {"model_parallel.params_dtype", Effect::nothing, "the precision says it"},
    {"model_parallel.pipeline_dtype", Effect::nothing, "the precision says it"},
    {"model_parallel.timers", Effect::nothing, "timers"},
    {"model_parallel.barrier_with_L1_time", Effect::nothing, "timers"},
    {"model_parallel.async_tensor_model_parallel_allreduce", Effect::slight,
     "collectives of tensor ranks are taken to run by themselves"},
    {"model_parallel.tp_comm_*", Effect::slight,
     "which of the tensor collectives hide is not told apart"},
    {"model_parallel.enable_autocast", Effect::refused,
     "weights that stay in fp32 are not read here", "False|false"},
    {"model_parallel.autocast_dtype", Effect::nothing, "of weights that stay in fp32"},
    {"model_parallel.variable_seq_lengths", Effect::nothing, "Megatron-LM sets it to false"},
    {"model_parallel.batch_p2p_*", Effect::slight,
     "sends and receives are taken to be posted as a batch"},
    {"model_parallel.finalize_model_grads_func", Effect::nothing, "Megatron-LM sets it"}};

/// An argument as a file has it.
std::string spelled(const std::string& argument) {
  std::string key = argument;
  std::replace(key.begin(), key.end(), '-', '_');
  const bool is_size = key == "num_layers" || key == "hidden_size" || key == "num_attention_heads";
  return is_size ? "language_model." + key : key;
}

void add_own(job::Settings& settings, std::vector<job::Word>& words) {
  const auto add = [&](const char* name, const std::string& value, const std::string& path) {
    add_argument(name, value, path, settings.where(path), words);
  };
  const std::string activation = "language_model.activation_func";
  if (settings.text({activation}, "gelu") == "swiglu") add("swiglu", "", activation);
  const std::string groups = "language_model.num_query_groups";
  if (const Value* count = settings.find(std::string_view(groups))) {
    add("group-query-attention", "", groups);
    add("num-query-groups", job::written(*count), groups);
  }
  if (settings.truth({"model_parallel.tp_comm_overlap"}, false))
    add("tp-comm-overlap", "", "model_parallel.tp_comm_overlap");
}

}  // namespace

job::Import import_yaml(const job::Source& source) {
  job::Import notes;
  Value root = job::parse_job(source, notes);
  if (!root.is_map() || !root.find("language_model") || !root.find("model_parallel"))
    throw InputError({source.file, 1, 1},
                     "no 'language_model' and 'model_parallel' of Megatron-LM are here");
  job::resolve_variables(source, root);
  job::Settings settings(std::move(root), source, notes);
  job::Launch launch;
  launch.where = {source.file, 1, 1};
  launch.spelled = spelled;
  add_own(settings, launch.arguments);
  for (const char* section : {"language_model", "model_parallel", ""})
    add_arguments(settings, section, {{}, keys}, launch.arguments);
  settings.review(keys, "Megatron-LM");
  job::Import import = translate(launch, defined_devices(source), source);
  import.from = "a file of arguments of Megatron-LM";
  job::add_notes(import, notes);
  return import;
}

}  // namespace pipewright::megatron
