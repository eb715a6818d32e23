// After nemo/collections/llm/recipes/*.py of NeMo 2.5 (September 2025), whose pretrain_recipe
// differ in these numbers; the precision is bf16_mixed() and the optimizer
// distributed_fused_adam_with_cosine_annealing() in all of them. What performance_mode adds is
// there for those of `tuned`.
#include "convert/nemo/packaged_recipes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace pipewright::nemo {
namespace {

struct PackagedRecipe {
  std::string_view name, model;
  int tensor = 1, pipeline = 1, interleaved = 0, context = 1, expert = 1;
  bool splits_sequence = false;
  int sequence = 4096, global = 512, micro = 1, nodes = 1;
  bool counts_ends = false;  ///< the embedding and the loss are layers of the pipeline
};
constexpr PackagedRecipe recipes[] = {
    {"llama2_7b", "Llama2Config7B", 2},
    {"llama3_8b", "Llama3Config8B", 1, 1, 0, 2, 1, false, 8192},
    {"llama3_8b_16k", "Llama3Config8B", 4, 2, 0, 2, 1, true, 16384, 512, 1, 2},
    {"llama3_8b_64k", "Llama3Config8B", 4, 2, 0, 4, 1, true, 65536, 512, 1, 4},
    {"llama3_8b_128k", "Llama3Config8B", 4, 2, 0, 8, 1, true, 131072, 512, 1, 8},
    {"llama3_70b", "Llama3Config70B", 4, 4, 5, 2, 1, true, 8192},
    {"llama3_70b_16k", "Llama3Config70B", 8, 2, 0, 2, 1, true, 16384, 512, 1, 4},
    {"llama3_70b_64k", "Llama3Config70B", 8, 4, 0, 8, 1, true, 65536, 512, 1, 32},
    {"llama31_8b", "Llama31Config8B", 1, 1, 0, 2, 1, false, 8192},
    {"llama31_70b", "Llama31Config70B", 4, 4, 5, 2, 1, true, 8192},
    {"llama31_405b", "Llama31Config405B", 8, 8, 2, 4, 1, true, 8192, 512, 1, 1, true},
    {"mistral_7b", "MistralConfig7B", 1, 1, 0, 2},
    {"mixtral_8x7b", "MixtralConfig8x7B", 1, 4, 8, 1, 8, false, 4096, 512, 1, 8},
    {"mixtral_8x22b", "MixtralConfig8x22B", 2, 4, 14, 2, 8, true, 4096, 512, 1, 16},
    {"nemotron4_15b", "Nemotron4Config15B", 4, 1, 0, 1, 1, true, 4096, 32, 2},
    {"nemotron4_15b_16k", "Nemotron4Config15B", 2, 2, 0, 2, 1, true, 16384, 32, 2},
    {"nemotron4_15b_64k", "Nemotron4Config15B", 4, 2, 0, 4, 1, true, 65536, 32, 2, 4},
    {"nemotron4_340b", "Nemotron4Config340B", 8, 12, 8, 2, 1, true, 4096, 2304, 1, 768},
    {"gpt3_175b", "GPTConfig175B", 4, 8, 6, 1, 1, true, 2048, 2048, 2},
    {"gemma2_9b", "Gemma2Config9B", 8, 1, 0, 1, 1, false, 4096, 32, 2},
    {"gemma2_27b", "Gemma2Config27B", 8, 2, 0, 1, 1, false, 4096, 32, 2, 2}};

/// What performance_mode says of hiding, and of gradients.
struct Tuned {
  std::string_view name;
  bool hides_tensor = true;
  int deferred = 0;  ///< micro-batches whose gradients of the embedding wait
  bool reduces_narrow = true;
};
constexpr Tuned tuned[] = {
    {"llama3_8b", false},       {"llama3_70b", true, 22},         {"llama31_8b", true, 50, false},
    {"llama31_405b", true, 50}, {"llama31_70b", true, 50, false}, {"nemotron4_340b", true, 22},
    {"gpt3_175b", true, 50}};

constexpr std::string_view tuning = R"(
def pretrain_performance_optimizations(recipe):
    recipe.trainer.callbacks.append(run.Config(
        MegatronCommOverlapCallback, tp_comm_overlap={tensor}, {deferral}
        overlap_param_gather_with_optimizer_step=False))
{narrow}    return recipe
)";

std::string tuning_of(std::string_view name) {
  const auto* found = std::ranges::find(tuned, name, &Tuned::name);
  if (found == std::end(tuned)) return {};
  return fmt::format(
      fmt::runtime(tuning), fmt::arg("tensor", found->hides_tensor ? "True" : "False"),
      fmt::arg("deferral", found->deferred == 0 ? std::string()
                                                : fmt::format("defer_embedding_wgrad_compute=True, "
                                                              "wgrad_deferral_limit={},",
                                                              found->deferred)),
      fmt::arg("narrow", found->reduces_narrow
                             ? "    recipe.trainer.plugins.grad_reduce_in_fp32 = False\n"
                             : ""));
}

/// What the recipes have in common, in Python. Braces are in twos.
constexpr std::string_view common = R"(import nemo_run as run
import torch
from megatron.core.distributed import DistributedDataParallelConfig
from megatron.core.optimizer import OptimizerConfig
from nemo import lightning as nl
from nemo.collections import llm
from nemo.collections.llm.api import pretrain
from nemo.lightning.pytorch.callbacks.megatron_comm_overlap import MegatronCommOverlapCallback

def pretrain_recipe({parameters}):
{sizes}    recipe = run.Partial(
        pretrain,
        model=run.Config(llm.GPTModel, config=run.Config(llm.{model})),
        trainer=run.Config(
            nl.Trainer, accelerator="gpu", num_nodes=num_nodes, devices=num_gpus_per_node,
            plugins=run.Config(nl.MegatronMixedPrecision, precision=precision,
                               autocast_enabled=False, grad_reduce_in_fp32=True),
            strategy=run.Config(
                nl.MegatronStrategy, tensor_model_parallel_size=tensor_parallelism,
                pipeline_model_parallel_size=pipeline_parallelism,
                virtual_pipeline_model_parallel_size=virtual_pipeline_parallelism,
                context_parallel_size=context_parallelism,
                account_for_embedding_in_pipeline_split={ends},
                account_for_loss_in_pipeline_split={ends},
                expert_model_parallel_size={expert}, sequence_parallel=sequence_parallelism,
                ddp=run.Config(DistributedDataParallelConfig, grad_reduce_in_fp32=True,
                               overlap_grad_reduce=True, overlap_param_gather=True,
                               average_in_collective=True)),
            callbacks=[]),
        data=run.Config(llm.MockDataModule, seq_length=seq_length,
                        global_batch_size=global_batch_size, micro_batch_size=micro_batch_size),
        optim=run.Config(nl.MegatronOptimizerModule, config=run.Config(
            OptimizerConfig, optimizer="adam", bf16=True, use_distributed_optimizer=True)))
    if performance_mode:
        pretrain_performance_optimizations(recipe)
    return recipe
)";

/// What most recipes take, and what those of Nemotron 4 and Gemma 2 do, in order.
constexpr std::string_view few =
    R"(dir=None, name="default", num_nodes={nodes}, num_gpus_per_node=8,
                    performance_mode=False, fn=pretrain)";
constexpr std::string_view many =
    R"(dir=None, name="default", tensor_parallelism={tensor},
                    pipeline_parallelism={pipeline}, pipeline_parallelism_type=None,
                    virtual_pipeline_parallelism={interleaved}, context_parallelism={context},
                    sequence_parallelism={splits}, num_nodes={nodes}, num_gpus_per_node=8,
                    max_steps=None, precision="bf16-mixed", accumulate_grad_batches=1,
                    gradient_clip_val=1.0, limit_test_batches=32, limit_val_batches=32,
                    log_every_n_steps=10, val_check_interval=2000, global_batch_size={global},
                    micro_batch_size={micro}, seq_length={sequence}, warmup_steps=500,
                    constant_steps=0, min_lr=None, max_lr=None, performance_mode=False,
                    fn=pretrain)";
/// What `many` takes as arguments stands in the other recipes.
constexpr std::string_view constants = R"(    precision = "bf16-mixed"
    tensor_parallelism = {tensor}
    pipeline_parallelism = {pipeline}
    virtual_pipeline_parallelism = {interleaved}
    context_parallelism = {context}
    sequence_parallelism = {splits}
    seq_length = {sequence}
    global_batch_size = {global}
    micro_batch_size = {micro}
)";

bool takes_many(const PackagedRecipe& recipe) {
  return recipe.name.starts_with("nemotron4") || recipe.name.starts_with("gemma2");
}

std::string with_sizes(std::string_view text, const PackagedRecipe& r) {
  return fmt::format(
      fmt::runtime(text), fmt::arg("nodes", r.nodes), fmt::arg("tensor", r.tensor),
      fmt::arg("pipeline", r.pipeline),
      fmt::arg("interleaved", r.interleaved > 0 ? std::to_string(r.interleaved) : "None"),
      fmt::arg("context", r.context), fmt::arg("splits", r.splits_sequence ? "True" : "False"),
      fmt::arg("sequence", r.sequence), fmt::arg("global", r.global), fmt::arg("micro", r.micro));
}

}  // namespace

std::optional<std::string> packaged_recipe(std::string_view name) {
  const auto* found = std::ranges::find(recipes, name, &PackagedRecipe::name);
  if (found == std::end(recipes)) return std::nullopt;
  const PackagedRecipe& r = *found;
  return fmt::format(common, fmt::arg("parameters", with_sizes(takes_many(r) ? many : few, r)),
                     fmt::arg("sizes", takes_many(r) ? "" : with_sizes(constants, r)),
                     fmt::arg("model", r.model), fmt::arg("expert", r.expert),
                     fmt::arg("ends", r.counts_ends ? "True" : "False")) +
         tuning_of(name);
}

}  // namespace pipewright::nemo
