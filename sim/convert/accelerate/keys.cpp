// After src/accelerate/commands/config/config_args.py and cluster.py, July 2026.
#include "convert/accelerate/keys.hpp"

namespace pipewright::accelerate {
namespace {

using job::Effect;

constexpr job::Key keys[] = {
    {"compute_environment", Effect::refused, "SageMaker's jobs are not read", "LOCAL_MACHINE"},
    {"use_cpu", Effect::refused, "training on processors is not modelled", "false|no"},
    {"debug", Effect::slight, "every collective is checked", "false"},
    {"downcast_bf16", Effect::nothing, "of TPUs"},
    {"tpu_*", Effect::nothing, "of TPUs"},
    {"commands", Effect::nothing, "of TPUs"},
    {"command_file", Effect::nothing, "of TPUs"},
    {"machine_rank", Effect::nothing, "names of machines"},
    {"main_*", Effect::nothing, "names of machines"},
    {"rdzv_*", Effect::nothing, "how processes find each other"},
    {"same_network", Effect::nothing, "how processes find each other"},
    {"mpirun_config*", Effect::nothing, "how processes are started"},
    {"gpu_ids", Effect::nothing, "num_processes says how many"},
    {"enable_cpu_affinity", Effect::nothing, "where hosts run"},
    {"dynamo_config.*", Effect::nothing, "how it is compiled"},
    {"fsdp_config.fsdp_auto_wrap_policy", Effect::slight,
     "weights are taken to be gathered by layer", "TRANSFORMER_BASED_WRAP"},
    {"fsdp_config.fsdp_transformer_layer_cls_to_wrap", Effect::nothing, "the layer of the model"},
    {"fsdp_config.fsdp_min_num_params", Effect::slight, "weights are taken to be gathered by layer",
     "0"},
    {"fsdp_config.fsdp_backward_prefetch*", Effect::slight,
     "the next layer's weights are taken to be gathered before they are used", "BACKWARD_PRE"},
    {"fsdp_config.fsdp_forward_prefetch", Effect::slight,
     "the next layer's weights are taken to be gathered before they are used"},
    {"fsdp_config.fsdp_ignored_modules", Effect::refused,
     "modules that are not cut cannot be said"},
    {"fsdp_config.*", Effect::nothing, "checkpoints"},
    {"deepspeed_config.*", Effect::nothing, "how processes are started and models are loaded"},
    {"fp8_config.enable_fsdp_float8_all_gather", Effect::slight,
     "weights are taken to be gathered in bf16", "false"},
    {"fp8_config.*", Effect::nothing, "how numbers are scaled"},
    {"megatron_lm_config.megatron_lm_gradient_clipping", Effect::nothing, "losses"},
    {"parallelism_config.*", Effect::nothing, "of degrees of 1"}};

}  // namespace

std::span<const job::Key> other_keys() { return keys; }

}  // namespace pipewright::accelerate
