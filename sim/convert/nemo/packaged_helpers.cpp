// After scripts/performance/{helpers,utils}.py, nemo/collections/llm/recipes/precision/
// mixed_precision.py and optim/adam.py of NeMo 2.5 (September 2025). What changes nothing here is
// left out.
#include "convert/nemo/packaged_helpers.hpp"

#include <algorithm>
#include <iterator>

namespace pipewright::nemo {
namespace {

constexpr std::string_view precisions = R"(import nemo_run as run
from nemo.lightning.pytorch.plugins.mixed_precision import MegatronMixedPrecision

def bf16_mixed():
    return run.Config(MegatronMixedPrecision, precision="bf16-mixed", autocast_enabled=False,
                      grad_reduce_in_fp32=True)

def fp16_mixed():
    return run.Config(MegatronMixedPrecision, precision="16-mixed", autocast_enabled=False,
                      grad_reduce_in_fp32=False)

def _fp8(plugin, recipe, gathers=True):
    plugin.fp8 = "hybrid"
    plugin.fp8_recipe = recipe
    plugin.fp8_param_gather = gathers
    return plugin

def _delayed(plugin):
    plugin.fp8_margin = 0
    plugin.fp8_amax_history_len = 1024
    plugin.fp8_amax_compute_algo = "max"
    return _fp8(plugin, "delayed")

def _ends(plugin, layers):
    plugin.first_last_layers_bf16 = True
    plugin.num_layers_at_start_in_bf16 = layers
    plugin.num_layers_at_end_in_bf16 = layers
    return plugin

def _mx(plugin):
    plugin.reuse_grad_buf_for_mxfp8_param_ag = True
    return _fp8(plugin, "mxfp8")

def bf16_with_fp8_mixed():
    return _delayed(bf16_mixed())

def fp16_with_fp8_mixed():
    return _delayed(fp16_mixed())

def bf16_with_mxfp8_mixed():
    return _mx(bf16_mixed())

def fp16_with_mxfp8_mixed():
    return _mx(fp16_mixed())

def bf16_with_fp8_current_scaling_mixed():
    return _ends(_fp8(bf16_mixed(), "tensorwise"), 1)

def fp16_with_fp8_current_scaling_mixed():
    return _ends(_fp8(fp16_mixed(), "tensorwise"), 1)

def nemotron_h_bf16_with_fp8_current_scaling_mixed():
    return _ends(_fp8(bf16_mixed(), "tensorwise"), 2)

def bf16_with_fp8_subchannel_scaling_mixed():
    return _fp8(bf16_mixed(), "blockwise", False)

def fp16_with_fp8_subchannel_scaling_mixed():
    return _fp8(fp16_mixed(), "blockwise", False)
)";

constexpr std::string_view adam_optimizer = R"(import nemo_run as run
from megatron.core.optimizer import OptimizerConfig
from nemo.lightning.pytorch.optim import MegatronOptimizerModule

def distributed_fused_adam_with_cosine_annealing(
        precision="bf16-mixed", warmup_steps=2000, constant_steps=0, adam_beta1=0.9,
        adam_beta2=0.95, max_lr=1e-4, min_lr=None, clip_grad=1.0):
    return run.Config(MegatronOptimizerModule, config=run.Config(
        OptimizerConfig, optimizer="adam", lr=max_lr, bf16=precision == "bf16-mixed",
        fp16=precision == "16-mixed", use_distributed_optimizer=True, clip_grad=clip_grad))
)";

constexpr std::string_view utilities =
    R"(from nemo.lightning.pytorch.callbacks.megatron_comm_overlap import MegatronCommOverlapCallback

def get_comm_overlap_callback_idx(callbacks):
    for at, callback in enumerate(callbacks or []):
        if callback.__fn_or_cls__ == MegatronCommOverlapCallback:
            return at
    return None
)";

constexpr std::string_view performance_helpers =
    R"(from nemo.collections.llm.recipes.precision.mixed_precision import (
    bf16_with_fp8_current_scaling_mixed, bf16_with_fp8_mixed,
    bf16_with_fp8_subchannel_scaling_mixed, bf16_with_mxfp8_mixed)
from .utils import get_comm_overlap_callback_idx

def _overlap(recipe):
    at = get_comm_overlap_callback_idx(recipe.trainer.callbacks)
    return None if at is None else recipe.trainer.callbacks[at]

def set_mcore_fsdp_configs(recipe, comm_overlap_callback_idx, tp_size):
    recipe.model.config.init_model_with_meta_device = True
    recipe.model.config.gradient_accumulation_fusion = False
    recipe.trainer.strategy.fsdp = "megatron"
    recipe.trainer.strategy.ddp.data_parallel_sharding_strategy = "optim_grads_params"
    if recipe.trainer.plugins.grad_reduce_in_fp32:
        recipe.trainer.strategy.ddp.average_in_collective = False
    if comm_overlap_callback_idx is not None:
        recipe.trainer.callbacks[comm_overlap_callback_idx].defer_embedding_wgrad_compute = False
    return recipe

def set_precision_configs(recipe, compute_dtype, fp8_recipe=None):
    if compute_dtype is None:
        return recipe
    kind = (fp8_recipe or "ds").lower() if compute_dtype.lower() == "fp8" else None
    if compute_dtype.lower() == "bf16":
        recipe.optim.config.use_precision_aware_optimizer = True
    if kind == "ds":
        recipe.trainer.plugins = bf16_with_fp8_mixed()
    elif kind == "cs":
        recipe.trainer.plugins = bf16_with_fp8_current_scaling_mixed()
        recipe.trainer.plugins.first_last_layers_bf16 = False
    elif kind == "mxfp8":
        recipe.trainer.plugins = bf16_with_mxfp8_mixed()
        if _overlap(recipe) is not None:
            _overlap(recipe).overlap_param_gather = False
    elif kind == "ss":
        recipe.trainer.plugins = bf16_with_fp8_subchannel_scaling_mixed()
    recipe.trainer.plugins.grad_reduce_in_fp32 = False
    return recipe

def set_recompute_configs(recipe, recompute_layers, activation_offload_layers, recompute_modules):
    if recompute_layers > 0:
        recipe.model.config.recompute_granularity = "full"
        recipe.model.config.recompute_method = "block"
        recipe.model.config.recompute_num_layers = recompute_layers
    if activation_offload_layers > 0:
        recipe.model.config.cpu_offloading = True
        recipe.model.config.cpu_offloading_weights = False
        recipe.model.config.cpu_offloading_num_layers = activation_offload_layers
    if recompute_modules is not None:
        recipe.model.config.recompute_modules = recompute_modules
    return recipe

def set_primary_perf_configs(
        recipe, task, num_nodes, num_gpus_per_node, mbs, gbs, max_steps, tp_size, pp_size, cp_size,
        vp_size, ep_size, etp_size=None, enable_cuda_graphs=False, use_mcore_fsdp=False,
        use_fsdp_double_buffer=None, use_user_buffer_registration=None, use_sharp=None,
        recompute_layers=0, activation_offload_layers=0, compute_dtype=None, fp8_recipe=None,
        recompute_modules=None, nccl_communicator_config_path=None,
        keep_fsdp_fp8_transpose_cache=None, use_te_op_fuser=None, use_te_act_func=None,
        act_func_fp8_input_store=None):
    recipe.trainer.num_nodes = num_nodes
    recipe.trainer.devices = num_gpus_per_node
    recipe.trainer.max_steps = max_steps
    recipe.data.micro_batch_size = mbs
    recipe.data.global_batch_size = gbs
    strategy = recipe.trainer.strategy
    strategy.tensor_model_parallel_size = tp_size
    strategy.pipeline_model_parallel_size = pp_size
    strategy.context_parallel_size = cp_size
    strategy.virtual_pipeline_model_parallel_size = None if vp_size == 1 else vp_size
    strategy.expert_model_parallel_size = ep_size
    strategy.expert_tensor_parallel_size = etp_size
    strategy.sequence_parallel = tp_size > 1
    strategy.use_sharp = bool(use_sharp)
    replicas = num_nodes * num_gpus_per_node / (tp_size * pp_size * cp_size)
    if _overlap(recipe) is not None:
        _overlap(recipe).overlap_param_gather_with_optimizer_step = bool(
            replicas > 1 and pp_size > 1 and vp_size and vp_size > 1)
    if use_te_op_fuser:
        recipe.model.config.use_transformer_engine_op_fuser = True
    if use_te_act_func:
        recipe.model.config.use_te_activation_func = True
    if act_func_fp8_input_store:
        recipe.model.config.activation_func_fp8_input_store = True
    recipe.model.config.cross_entropy_fusion_impl = "te"
    recipe.model.config.enable_cuda_graph = enable_cuda_graphs and not use_mcore_fsdp
    if use_mcore_fsdp:
        recipe = set_mcore_fsdp_configs(
            recipe, get_comm_overlap_callback_idx(recipe.trainer.callbacks), tp_size)
    recipe = set_precision_configs(recipe, compute_dtype, fp8_recipe)
    recipe = set_recompute_configs(recipe, recompute_layers, activation_offload_layers,
                                   recompute_modules)
    strategy.ddp.check_for_nan_in_grad = False
    strategy.ddp.check_for_large_grads = False
    strategy.ddp.nccl_ub = bool(use_user_buffer_registration)
    strategy.ddp.fsdp_double_buffer = bool(use_fsdp_double_buffer)
    strategy.ddp.keep_fp8_transpose_cache = bool(keep_fsdp_fp8_transpose_cache)
    return recipe

def set_exp_logging_configs(recipe, *others, **more):
    recipe.log.ckpt = None
    return recipe
)";

struct Helper {
  std::string_view path, text;
};
constexpr Helper packaged_texts[] = {
    {"nemo/collections/llm/recipes/precision/mixed_precision.py", precisions},
    {"nemo/collections/llm/recipes/optim/adam.py", adam_optimizer},
    {"scripts/performance/utils.py", utilities},
    {"scripts/performance/helpers.py", performance_helpers}};

}  // namespace

std::optional<std::string_view> packaged_helper(std::string_view path) {
  const auto* found = std::ranges::find(packaged_texts, path, &Helper::path);
  return found == std::end(packaged_texts) ? std::nullopt : std::optional(found->text);
}

}  // namespace pipewright::nemo
