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
    {"machine_rank", Effect::nothing, "names of machines", "", true},
    {"main_process*", Effect::nothing, "names of machines", "", true},
    {"main_*", Effect::nothing, "names of functions"},
    {"rdzv_*", Effect::nothing, "how processes find each other"},
    {"same_network", Effect::nothing, "how processes find each other"},
    {"mpirun_config*", Effect::nothing, "how processes are started"},
    {"gpu_ids", Effect::nothing, "num_processes says how many", "", true},
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
    {"megatron_lm_config.megatron_lm_no_load_optim", Effect::nothing, "checkpoints"},
    {"megatron_lm_config.megatron_lm_no_save_optim", Effect::nothing, "checkpoints"},
    {"megatron_lm_config.megatron_lm_eod_mask_loss", Effect::nothing, "losses"},
    {"megatron_lm_config.megatron_lm_calculate_per_token_loss", Effect::nothing, "losses"},
    {"megatron_lm_config.megatron_lm_use_rotary_position_embeddings", Effect::nothing,
     "the model says it"},
    {"megatron_lm_config.megatron_lm_attention_*", Effect::slight,
     "attention is taken to be as the model has it"},
    {"megatron_lm_config.megatron_lm_hidden_dropout", Effect::slight,
     "dropout is taken to be as the model has it"},
    {"megatron_lm_config.megatron_lm_recompute_method", Effect::refused,
     "every layer is run again by itself", "uniform"},
    {"megatron_lm_config.megatron_lm_recompute_num_layers", Effect::refused,
     "every layer is run again by itself", "1"},
    {"megatron_lm_config.megatron_lm_optimizer_cpu_offload", Effect::refused,
     "Megatron-LM's part of an optimizer on the host cannot be said", "false"},
    {"megatron_lm_config.megatron_lm_overlap_cpu_optimizer_d2h_h2d", Effect::nothing,
     "of an optimizer on the host"},
    {"megatron_lm_config.megatron_lm_use_precision_aware_optimizer", Effect::refused,
     "how its state is kept is not read", "false"},
    {"megatron_lm_config.megatron_lm_use_custom_fsdp", Effect::refused,
     "Megatron-LM's own FSDP is not read", "false"},
    {"megatron_lm_config.megatron_lm_decoder_last_pipeline_num_layers", Effect::refused,
     "how layers are divided is not read"},
    {"megatron_lm_config.megatron_lm_expert_*", Effect::refused,
     "experts of the plugin are not read", "1"},
    {"parallelism_config.parallelism_config_sp_size", Effect::refused,
     "sequences that DeepSpeed divides are not read", "1"},
    {"parallelism_config.*", Effect::nothing, "of degrees of 1"}};

}  // namespace

std::span<const job::Key> other_keys() { return keys; }

}  // namespace pipewright::accelerate
