// Families some of whose blocks have state-space layers or linear attention, each as its library's
// configuration and modelling files have it (github.com/huggingface/transformers,
// src/transformers/models/TYPE/; MiniMax and Kimi Linear: the modelling files beside the weights).
#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr const char* gated_heads =
    "{gated: true, positions: rope, norm: rmsnorm, bias: false, "
    "attention: {norm: head, gate: true}}";
constexpr const char* no_positions = "{gated: true, positions: none, norm: rmsnorm, bias: false}";
constexpr const char* state_space = "{positions: none, norm: rmsnorm, bias: false, gated: false}";
constexpr const char* qwen3_next_class =
    "{head_dim: 256, full_attention_interval: 4, linear_conv_kernel_dim: 4, "
    "linear_key_head_dim: 128, linear_value_head_dim: 128, linear_num_key_heads: 16, "
    "linear_num_value_heads: 32}";
constexpr const char* mamba_class =
    "{vocab_size: 50280, hidden_size: 768, num_hidden_layers: 32, state_size: 16, conv_kernel: 4}";
constexpr const char* bamba_class =
    "{mamba_n_heads: 128, mamba_d_head: auto, mamba_d_state: 256, mamba_n_groups: 1, "
    "mamba_d_conv: 4, mamba_expand: 2, mamba_chunk_size: 256}";

constexpr Family hybrid_table[] = {
    {.type = "qwen3_next",
     .defaults = gated_heads,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_qwen3_next,
     .otherwise = qwen3_next_class},
    {.type = "qwen3_5",
     .defaults = gated_heads,
     .tied = false,
     .extend = extend_qwen3_next,
     .otherwise = qwen3_next_class},
    {.type = "qwen3_5_moe",
     .defaults = gated_heads,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_qwen3_next,
     .otherwise = qwen3_next_class},
    // Blocks of the gated delta rule have their norms before, which are as many.
    {.type = "olmo_hybrid",
     .defaults = "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: after, "
                 "attention: {norm: width}}",
     .tied = false,
     .extend = extend_olmo_hybrid,
     .otherwise = "{vocab_size: 100352, hidden_size: 3840, intermediate_size: 11008, "
                  "num_hidden_layers: 32, num_attention_heads: 30, linear_conv_kernel_dim: 4, "
                  "max_position_embeddings: 65536}"},
    {.type = "kimi_linear",
     .defaults = no_positions,
     .tied = false,
     .experts = "num_experts",
     .latent = true,
     .extend = extend_kimi_linear},
    {.type = "kimi_k3",
     .defaults = no_positions,
     .tied = false,
     .experts = "num_experts",
     .latent = true,
     .extend = extend_kimi_linear},
    {.type = "lfm2",
     .defaults = head_norms,
     .tied = true,
     .extend = extend_lfm2,
     .otherwise = "{vocab_size: 65536, hidden_size: 2560, num_hidden_layers: 32, "
                  "num_attention_heads: 32, num_key_value_heads: 8, max_position_embeddings: "
                  "128000, conv_L_cache: 3}"},
    {.type = "lfm2_moe",
     .defaults = head_norms,
     .tied = true,
     .experts = "num_experts",
     .extend = extend_lfm2_moe,
     .otherwise = "{vocab_size: 65536, hidden_size: 2048, intermediate_size: 7168, "
                  "moe_intermediate_size: 1792, num_attention_heads: 32, num_key_value_heads: 8, "
                  "max_position_embeddings: 128000, conv_L_cache: 3, num_dense_layers: 2, "
                  "num_experts_per_tok: 4}"},
    {.type = "falcon_h1",
     .defaults = gated_rms,
     .tied = false,
     .extend = extend_falcon_h1,
     .otherwise = "{num_key_value_heads: 8, mamba_d_ssm: 1024, mamba_n_heads: 128, "
                  "mamba_d_head: auto, mamba_d_state: 256, mamba_n_groups: 1, mamba_d_conv: 4, "
                  "mamba_expand: 2, mamba_chunk_size: 256}"},
    {.type = "bailing_moe_linear",
     .defaults = gated_rms,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_bailing_linear},
    {.type = "bailing_hybrid",
     .defaults = gated_rms,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_bailing_hybrid},
    {.type = "minimax",
     .defaults = gated_rms,
     .tied = false,
     .experts = "num_local_experts",
     .extend = extend_minimax},
    {.type = "minimax_text_01",
     .defaults = gated_rms,
     .tied = false,
     .experts = "num_local_experts",
     .extend = extend_minimax},
    {.type = "minimax_m1",
     .defaults = gated_rms,
     .tied = false,
     .experts = "num_local_experts",
     .extend = extend_minimax},
    {.type = "mamba",
     .defaults = state_space,
     .tied = true,
     .extend = extend_mamba,
     .otherwise = mamba_class,
     .attends = false},
    {.type = "falcon_mamba",
     .defaults = state_space,
     .tied = true,
     .extend = extend_falcon_mamba,
     .otherwise = mamba_class,
     .attends = false},
    {.type = "jamba",
     .defaults = no_positions,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_jamba,
     .otherwise = "{mamba_d_state: 16, mamba_d_conv: 4, mamba_expand: 2, mamba_dt_rank: auto, "
                  "num_key_value_heads: 8, attn_layer_period: 8, attn_layer_offset: 4, "
                  "expert_layer_period: 2, expert_layer_offset: 1, num_experts_per_tok: 2}"},
    {.type = "recurrent_gemma",
     .defaults = "{gated: true, positions: rope, norm: rmsnorm, bias: true, dropout: false}",
     .tied = true,
     .extend = extend_recurrent_gemma,
     .otherwise = "{vocab_size: 256000, hidden_size: 2560, intermediate_size: 7680, "
                  "num_hidden_layers: 26, num_attention_heads: 10, attention_window_size: 2048, "
                  "conv1d_width: 4, logits_soft_cap: 30.0}"},
    {.type = "rwkv7",
     .defaults = "{gated: false, positions: none, norm: layernorm, bias: false, dropout: false}",
     .tied = false,
     .extend = extend_rwkv7,
     .otherwise = "{vocab_size: 65536, hidden_size: 768, num_hidden_layers: 12, head_dim: 64, "
                  "decay_low_rank_dim: 64, a_low_rank_dim: 64, v_low_rank_dim: 32, "
                  "gate_low_rank_dim: 128, max_position_embeddings: 8192}",
     .attends = false},
    {.type = "mamba2",
     .defaults = state_space,
     .tied = false,
     .extend = extend_mamba2,
     .otherwise = "{vocab_size: 32768, hidden_size: 4096, num_hidden_layers: 64, num_heads: 128, "
                  "head_dim: 64, state_size: 128, n_groups: 8, conv_kernel: 4, chunk_size: 256}",
     .attends = false},
    {.type = "nemotron_h",
     .defaults = state_space,
     .tied = false,
     .extend = extend_nemotron_h,
     .otherwise = "{num_attention_heads: 32, num_key_value_heads: 8, mamba_num_heads: 128, "
                  "mamba_head_dim: 64, ssm_state_size: 128, n_groups: 8, conv_kernel: 4, "
                  "chunk_size: 128}"},
    {.type = "bamba",
     .defaults = gated_rms,
     .tied = false,
     .extend = extend_bamba,
     .otherwise = bamba_class},
    {.type = "granitemoehybrid",
     .defaults = gated_rms,
     .tied = false,
     .extend = extend_granite_hybrid,
     .otherwise = bamba_class},
};

}  // namespace

std::span<const Family> hybrid_families() { return hybrid_table; }

}  // namespace pipewright::hugging_face
