// After src/megatron/bridge/recipes/llama/h100/llama3.py of August 2026, whose recipes for
// pretraining differ in these numbers. What recipes of all models have in common stands in
// recipe.cpp.
#include "convert/megatron_bridge/packaged_recipes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "convert/megatron_bridge/precision.hpp"

namespace pipewright::megatron_bridge {
namespace {

struct PackagedRecipe {
  std::string_view name, model;
  int tensor = 1, pipeline = 1, interleaved = 0, context = 1, sequence = 8192;
  bool hides_tensor = false, counts_ends = false;
};
constexpr PackagedRecipe recipes[] = {
    {"llama3_8b", "meta-llama/Meta-Llama-3-8B", 1, 1, 0, 2},
    {"llama3_8b_16k", "meta-llama/Meta-Llama-3-8B", 4, 2, 0, 2, 16384},
    {"llama3_8b_64k", "meta-llama/Meta-Llama-3-8B", 4, 2, 0, 4, 65536},
    {"llama3_8b_128k", "meta-llama/Meta-Llama-3-8B", 4, 2, 0, 8, 131072},
    {"llama3_70b", "meta-llama/Meta-Llama-3-70B", 4, 4, 5, 2, 8192, true},
    {"llama3_70b_16k", "meta-llama/Meta-Llama-3-70B", 8, 2, 0, 2, 16384, true},
    {"llama3_70b_64k", "meta-llama/Meta-Llama-3-70B", 8, 4, 0, 8, 65536, true},
    {"llama31_8b", "meta-llama/Meta-Llama-3.1-8B", 1, 1, 0, 2},
    {"llama31_70b", "meta-llama/Meta-Llama-3.1-70B", 4, 4, 5, 2, 131072, true},
    {"llama31_405b", "meta-llama/Meta-Llama-3.1-405B", 8, 8, 2, 4, 131072, true, true}};

/// Where these recipes lie, and where programs import them from.
constexpr std::string_view files[] = {"megatron/bridge/recipes/llama/llama3.py",
                                      "megatron/bridge/recipes/llama/__init__.py"};

/// What a recipe is, in Python. Earlier releases took arguments, which mean something there.
constexpr std::string_view head = R"(from megatron.bridge import AutoBridge
from megatron.bridge.training.comm_overlap import CommOverlapConfig
)";
constexpr std::string_view body = R"(
def {name}_pretrain_config(**arguments):
    cfg = Recipe()
    if arguments:
        arguments_of_earlier_releases(cfg)
    cfg.model = AutoBridge.from_hf_pretrained("{model}").get_model_config()
    cfg.tokenizer.tokenizer_type = "NullTokenizer"
    cfg.tokenizer.vocab_size = 32000
    cfg.model.tensor_model_parallel_size = {tensor}
    cfg.model.pipeline_model_parallel_size = {pipeline}
    cfg.model.virtual_pipeline_model_parallel_size = {interleaved}
    cfg.model.context_parallel_size = {context}
    cfg.model.sequence_parallel = {splits}
    cfg.model.seq_length = {sequence}
    cfg.dataset.seq_length = {sequence}
    cfg.model.account_for_embedding_in_pipeline_split = {ends}
    cfg.model.account_for_loss_in_pipeline_split = {ends}
    cfg.train.train_iters = 1168251
    cfg.train.global_batch_size = 512
    cfg.train.micro_batch_size = 1
    cfg.comm_overlap = {overlap}
    cfg.ddp.data_parallel_sharding_strategy = "no_shard"
    return cfg
)";

/// Of recipes/utils/optimizer_utils.py, what decides the time of a step.
constexpr std::string_view optimizers =
    R"(from megatron.bridge.training.config import OptimizerConfig, SchedulerConfig

def distributed_fused_adam_with_cosine_annealing(precision="bf16-mixed", **rates):
    return OptimizerConfig(optimizer="adam", use_distributed_optimizer=True), SchedulerConfig()

def distributed_fused_adam_with_cosine_annealing_samples(precision="bf16-mixed", **rates):
    return OptimizerConfig(optimizer="adam", use_distributed_optimizer=True), SchedulerConfig()
)";

std::string written(const PackagedRecipe& r) {
  return fmt::format(
      body, fmt::arg("name", r.name), fmt::arg("model", r.model), fmt::arg("tensor", r.tensor),
      fmt::arg("pipeline", r.pipeline),
      fmt::arg("interleaved", r.interleaved > 0 ? std::to_string(r.interleaved) : "None"),
      fmt::arg("context", r.context), fmt::arg("splits", r.tensor > 1 ? "True" : "False"),
      fmt::arg("sequence", r.sequence), fmt::arg("ends", r.counts_ends ? "True" : "False"),
      fmt::arg("overlap", r.hides_tensor ? "CommOverlapConfig(tp_comm_overlap=True)" : "None"));
}

}  // namespace

std::optional<std::string> packaged_recipes(std::string_view path) {
  if (path == "megatron/bridge/training/mixed_precision.py") return packaged_precision();
  if (path == "megatron/bridge/recipes/utils/optimizer_utils.py") return std::string(optimizers);
  if (std::ranges::find(files, path) == std::end(files)) return std::nullopt;
  std::string text(head);
  for (const PackagedRecipe& recipe : recipes) text += written(recipe);
  return text;
}

}  // namespace pipewright::megatron_bridge
