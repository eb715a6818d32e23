// After megatron/core/transformer/transformer_config.py, model_parallel_config.py,
// distributed/distributed_data_parallel_config.py and optimizer/optimizer_config.py.
#include "convert/megatron/core_config.hpp"

#include <algorithm>
#include <iterator>

#include "config/emit.hpp"
#include "convert/job/job.hpp"
#include "convert/megatron/activation.hpp"
#include "convert/megatron/demands.hpp"
#include "convert/megatron/writers.hpp"
#include "interop/words.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

using config::scalar;
using config::Value;
using Section = Value CoreConfig::*;

/// An argument that is no field of the model under its own name. One without a section is said
/// otherwise, or holds where nobody says it.
struct Field {
  std::string_view argument;
  Section section = nullptr;
  std::string_view key{};    ///< empty for the argument's own
  std::string_view value{};  ///< what a flag stores; empty for true
};
constexpr Field fields[] = {
    {"group-query-attention"},
    {"tokenizer-type"},
    {"vocab-size"},
    {"seq-length"},
    {"max-position-embeddings"},
    {"accumulate-allreduce-grads-in-fp32"},
    {"grad-reduce-in-bf16"},
    {"no-overlap-p2p-communication"},
    {"num-virtual-stages-per-pipeline-rank"},
    {"swiglu", &CoreConfig::model, "gated_linear_unit"},
    {"quick-geglu", &CoreConfig::model, "gated_linear_unit"},
    {"squared-relu"},
    {"untie-embeddings-and-output-weights", &CoreConfig::model,
     "share_embeddings_and_output_weights", "false"},
    {"disable-bias-linear", &CoreConfig::model, "add_bias_linear", "false"},
    {"num-experts", &CoreConfig::model, "num_moe_experts"},
    {"norm-epsilon", &CoreConfig::model, "layernorm_epsilon"},
    {"use-rope-scaling", &CoreConfig::model, "rope_scaling"},
    {"no-rope-fusion", &CoreConfig::model, "apply_rope_fusion", "false"},
    {"rotary-percent", &CoreConfig::model, "rotary_percent"},
    {"rotary-seq-len-interpolation-factor", &CoreConfig::model, "seq_len_interpolation_factor"},
    {"apply-layernorm-1p", &CoreConfig::model, "layernorm_zero_centered_gamma"},
    {"tensor-model-parallel-size", &CoreConfig::parallel},
    {"pipeline-model-parallel-size", &CoreConfig::parallel},
    {"pipeline-model-parallel-layout", &CoreConfig::parallel},
    {"microbatch-group-size-per-virtual-pipeline-stage", &CoreConfig::parallel,
     "microbatch_group_size_per_vp_stage"},
    {"context-parallel-size", &CoreConfig::parallel},
    {"sequence-parallel", &CoreConfig::parallel},
    {"expert-model-parallel-size", &CoreConfig::parallel},
    {"expert-tensor-parallel-size", &CoreConfig::parallel},
    {"use-tp-pp-dp-mapping", &CoreConfig::groups},
    {"micro-batch-size", &CoreConfig::batch},
    {"global-batch-size", &CoreConfig::batch},
    {"train-samples", &CoreConfig::batch},
    {"train-iters", &CoreConfig::batch},
    {"bf16", &CoreConfig::precision},
    {"fp16", &CoreConfig::precision},
    {"fp8-format", &CoreConfig::precision, "fp8"},
    {"fp8-recipe", &CoreConfig::precision},
    {"fp8-param-gather", &CoreConfig::precision},
    {"fp4-format", &CoreConfig::precision, "fp4"},
    {"fp4-recipe", &CoreConfig::precision},
    {"use-distributed-optimizer", &CoreConfig::ddp},
    {"use-megatron-fsdp", &CoreConfig::ddp},
    {"data-parallel-sharding-strategy", &CoreConfig::ddp},
    {"num-distributed-optimizer-instances", &CoreConfig::ddp},
    {"ckpt-format", &CoreConfig::checkpoint},
    {"overlap-grad-reduce", &CoreConfig::ddp},
    {"overlap-param-gather", &CoreConfig::ddp},
    {"ddp-bucket-size", &CoreConfig::ddp, "bucket_size"},
    {"optimizer", &CoreConfig::optimizer},
    {"use-precision-aware-optimizer", &CoreConfig::optimizer},
    {"exp-avg-dtype", &CoreConfig::optimizer},
    {"exp-avg-sq-dtype", &CoreConfig::optimizer},
    {"sgd-momentum", &CoreConfig::optimizer},
    {"optimizer-cpu-offload", &CoreConfig::optimizer},
    {"tp-comm-overlap", &CoreConfig::overlap}};

std::string key_of(std::string_view argument) {
  std::string key(argument);
  std::ranges::replace(key, '-', '_');
  return key;
}

/// Returns the words of "(127,0)" or "core_attn mlp" as a list.
Value list_of_words(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == ',' || c == '(' || c == ')'; }, ' ');
  Value list;
  list.kind = Value::Kind::list;
  for (const std::string_view word : interop::words_of(text)) list.items.push_back(scalar(word));
  return list;
}

/// Returns a 1 for each layer that has experts, and a 0 for each other.
Value layers_with_experts(const Experiment& e) {
  const TransformerShape& shape = e.model_or_fail().transformer;
  std::vector<int> layers;
  for (int64_t layer = 0; layer < shape.layers; ++layer)
    layers.push_back(shape.feed(layer) == Feed::experts);
  return job::list_of(layers);
}

/// Returns a 1 for each layer whose attention has a window, and a 0 for each other.
Value layers_with_windows(const Experiment& e) {
  const TransformerShape& shape = e.model_or_fail().transformer;
  std::vector<int> layers;
  for (int64_t layer = 0; layer < shape.layers; ++layer)
    layers.push_back(shape.mixer(layer) == Mixer::sliding);
  return job::list_of(layers);
}

/// Returns an object of PyTorch, as files of objects have it.
Value torch_object(std::string_view name) {
  Value value;
  value.set("_target_", scalar(name));
  value.set("_call_", job::truth(false));
  return value;
}

/// Returns the number format of a moment, which is one of PyTorch (optimizer_config.py).
Value moment_format(std::string_view format) {
  return torch_object(format == "bf16"   ? "torch.bfloat16"
                      : format == "fp16" ? "torch.float16"
                      : format == "fp8"  ? "torch.uint8"
                                         : "torch.float32");
}

/// Returns the value that Bash makes of what is written.
Value value_of(const Experiment& e, const ArgumentLine& line) {
  if (line.value.empty()) return job::truth(true);
  if (line.name == "exp-avg-dtype" || line.name == "exp-avg-sq-dtype")
    return moment_format(line.value);
  if (line.name == "moe-layer-freq") return layers_with_experts(e);
  if (line.name == "window-attn-skip-freq" && line.value.starts_with('\''))
    return layers_with_windows(e);
  std::string text = line.value;
  std::erase(text, '\'');
  const bool is_list = line.name == "window-size" || line.name == "recompute-modules" ||
                       line.name == "offload-modules" || line.name == "cuda-graph-modules";
  return is_list ? list_of_words(text) : scalar(text);
}

void add(const Experiment& e, const ArgumentLine& line, CoreConfig& config) {
  const auto* field = std::ranges::find(fields, std::string_view(line.name), &Field::argument);
  if (field == std::end(fields)) {
    config.model.set(key_of(line.name), value_of(e, line));
    return;
  }
  if (!field->section) return;
  const std::string key = field->key.empty() ? key_of(line.name) : std::string(field->key);
  (config.*field->section)
      .set(key, field->value.empty() ? value_of(e, line) : scalar(field->value));
}

/// Arguments of a model that are no fields of it.
constexpr std::string_view no_fields[] = {"bert-no-binary-head",
                                          "openai-gelu",
                                          "normalize-router-logits",
                                          "relative-attention-max-distance",
                                          "relative-attention-num-buckets",
                                          "disable-dsa-indexer-rotate-activation",
                                          "disable-dsa-indexer-scoring-relu",
                                          "no-dsa-indexer-rotate-activation",
                                          "no-dsa-indexer-scoring-relu",
                                          "no-yarn-correction-range-round-to-int",
                                          "init-method-xavier-uniform"};

/// Tells whether an argument of the model is a field with one value.
bool is_field(const ArgumentLine& line) {
  return std::ranges::find(no_fields, line.name) == std::end(no_fields) &&
         line.value.find_first_of(" '[(") == std::string::npos;
}

/// What the arguments leave out is written as false, which recipes set otherwise.
void add_replicas(const Experiment& e, CoreConfig& config) {
  const bool cuts = e.parallel.zero > 0;
  config.ddp.set("grad_reduce_in_fp32", job::truth(e.gradients == DType::fp32));
  config.ddp.set("use_distributed_optimizer", job::truth(cuts));
  config.ddp.set("overlap_grad_reduce", job::truth(e.overlap.data));
  config.ddp.set("overlap_param_gather", job::truth(e.overlap.weights && cuts));
  config.optimizer.set("use_distributed_optimizer", job::truth(cuts));
}

/// A layout does not take the place of the number of stages, as it does for arguments.
void add_stages(const Experiment& e, CoreConfig& config) {
  const int stages = e.parallel.virtual_stages;
  if (stages > 1)
    config.parallel.set("virtual_pipeline_model_parallel_size", config::number(stages));
  config.overlap.set("overlap_p2p_comm",
                     job::truth(stages > 1 && e.overlap.p2p.mode != SendMode::rendezvous));
}

}  // namespace

CoreConfig core_config(const Experiment& experiment) {
  CoreConfig config;
  check_demands(experiment, false);
  config.overlap.set("tp_comm_overlap", job::truth(false));
  const ArgumentLines arguments = all_arguments(experiment);
  for (const ArgumentLine& line : arguments.lines()) add(experiment, line, config);
  const ArgumentLines of_model = model_arguments(experiment);
  for (const ArgumentLine& line : of_model.lines())
    if (is_field(line)) add(experiment, line, config);
  add_replicas(experiment, config);
  add_stages(experiment, config);
  config.activation = activation_of(experiment);
  return config;
}

bool core_says_constant(const Experiment& experiment, const ModelConstant& constant) {
  if (constant.what == Constant::megatrons_arguments)
    return std::ranges::all_of(model_arguments(experiment).lines(), is_field);
  if (constant.what == Constant::activation) return says_activation(constant);
  return says_constant(experiment, constant);
}

Value torch_type(const Value& precision) {
  const char* type = precision.find("bf16")   ? "torch.bfloat16"
                     : precision.find("fp16") ? "torch.float16"
                                              : "torch.float32";
  return torch_object(type);
}

}  // namespace pipewright::megatron
