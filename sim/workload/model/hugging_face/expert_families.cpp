// Families with mixtures of experts in blocks of attention, each as its library's configuration and
// modelling files have it (github.com/huggingface/transformers, src/transformers/models/TYPE/;
// MiniMax M1 and M2, Kimi K2, Ling and Ring, Klear: the modelling files beside the weights).
#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr const char* llama4 =
    "{gated: true, positions: rope, norm: rmsnorm, bias: false, "
    "attention: {local_positions: true}}";
constexpr const char* llama4_class =
    "{vocab_size: 202048, hidden_size: 5120, intermediate_size: 8192, "
    "intermediate_size_mlp: 16384, num_hidden_layers: 48, num_attention_heads: 40, "
    "num_key_value_heads: 8, head_dim: 128, num_experts_per_tok: 1, "
    "interleave_moe_layer_step: 1, no_rope_layer_interval: 4, attention_chunk_size: 8192, "
    "use_qk_norm: true, max_position_embeddings: 131072}";
constexpr const char* latent_class =
    "{qk_nope_head_dim: 128, qk_rope_head_dim: 64, v_head_dim: 128}";
constexpr const char* indexer_class = "{index_n_heads: 64, index_head_dim: 128, index_topk: 2048}";
constexpr const char* deepseek_v4_class =
    "{vocab_size: 129280, hidden_size: 4096, moe_intermediate_size: 2048, num_hidden_layers: 43, "
    "num_attention_heads: 64, num_key_value_heads: 1, head_dim: 512, q_lora_rank: 1024, "
    "o_lora_rank: 1024, o_groups: 8, n_shared_experts: 1, num_experts_per_tok: 6, hc_mult: 4, "
    "sliding_window: 128, index_n_heads: 64, index_head_dim: 128, index_topk: 512, "
    "max_position_embeddings: 1048576}";
constexpr const char* layer_norms =
    "{gated: true, positions: rope, norm: layernorm, bias: false, dropout: false}";

constexpr Family expert_table[] = {
    {"mixtral", gated_rms, false, "num_local_experts"},
    {"granitemoe", gated_rms, false, "num_local_experts"},
    {.type = "granitemoeshared",
     .defaults = gated_rms,
     .tied = false,
     .experts = "num_local_experts",
     .extend = extend_granite_shared},
    {.type = "qwen2_moe",
     .defaults = gated_rms,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_qwen2_moe,
     .otherwise = qwen_window},
    {.type = "qwen3_moe",
     .defaults = head_norms,
     .tied = false,
     .experts = "num_experts",
     .otherwise = window_of_all},
    {"qwen3_vl_moe", head_norms, false, "num_experts"},
    {.type = "qwen3_omni_moe",
     .defaults = head_norms,
     .tied = false,
     .experts = "num_experts",
     .otherwise = window_of_all},
    {"mellum", head_norms, false, "num_experts"},
    {"olmoe",
     "{gated: true, positions: rope, norm: rmsnorm, bias: false, attention: {norm: width}}", false,
     "num_experts"},
    {"flex_olmo",
     "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: after, "
     "attention: {norm: width}}",
     false, "num_experts"},
    {.type = "phimoe", .defaults = layer_norms, .tied = false, .experts = "num_local_experts"},
    {.type = "dbrx", .defaults = layer_norms, .tied = false, .extend = extend_dbrx},
    {"dots1", head_norms, false, "n_routed_experts"},
    {"Klear", head_norms, false, "num_experts"},
    {.type = "ernie4_5_moe",
     .defaults = gated_rms,
     .tied = true,
     .experts = "moe_num_experts",
     .extend = extend_ernie_moe},
    {.type = "bailing_moe",
     .defaults = gated_rms,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_bailing},
    {.type = "bailing_moe_v2",
     .defaults = head_norms,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_bailing},
    {.type = "exaone_moe", .defaults = head_norms, .tied = false, .experts = "num_experts"},
    {.type = "afmoe",
     .defaults = "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: both, "
                 "attention: {norm: head, gate: true, local_positions: true}}",
     .tied = false,
     .experts = "num_experts",
     .extend = extend_afmoe},
    {.type = "smallthinker",
     .defaults = gated_rms,
     .tied = false,
     .experts = "moe_num_primary_experts",
     .extend = extend_smallthinker},
    {"deepseek", gated_rms, false, "n_routed_experts"},
    {.type = "deepseek_v2",
     .defaults = gated_rms,
     .tied = false,
     .experts = "n_routed_experts",
     .latent = true,
     .otherwise = latent_class},
    {.type = "deepseek_v3",
     .defaults = gated_rms,
     .tied = false,
     .experts = "n_routed_experts",
     .latent = true,
     .otherwise = latent_class},
    // A norm behind the experts is left out.
    {.type = "axk1",
     .defaults = gated_rms,
     .tied = false,
     .experts = "n_routed_experts",
     .latent = true,
     .otherwise = "{vocab_size: 163840, hidden_size: 7168, intermediate_size: 18432, "
                  "moe_intermediate_size: 2048, num_hidden_layers: 61, num_attention_heads: 64, "
                  "n_shared_experts: 1, q_lora_rank: 1536, qk_nope_head_dim: 128, "
                  "qk_rope_head_dim: 64, v_head_dim: 128, first_k_dense_replace: 1, "
                  "num_experts_per_tok: 8, max_position_embeddings: 32768}"},
    {.type = "laguna",
     .defaults = head_norms,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_laguna,
     .otherwise = "{vocab_size: 100352, hidden_size: 2048, intermediate_size: 8192, "
                  "num_hidden_layers: 40, num_attention_heads: 48, num_key_value_heads: 8, "
                  "head_dim: 128, sliding_window: 512, moe_intermediate_size: 512, "
                  "shared_expert_intermediate_size: 512, num_experts_per_tok: 8, "
                  "max_position_embeddings: 131072}"},
    {.type = "mistral4",
     .defaults = gated_rms,
     .tied = false,
     .experts = "n_routed_experts",
     .latent = true,
     .otherwise = "{n_shared_experts: 1}"},
    {.type = "hy_v3",
     .defaults = head_norms,
     .tied = false,
     .experts = "num_experts",
     .otherwise = "{first_k_dense_replace: 1, num_shared_experts: 1}"},
    {"kimi_k2", gated_rms, false, "n_routed_experts", true},
    {"kimi_k25", gated_rms, false, "n_routed_experts", true},
    {"kimi_vl", gated_rms, false, "n_routed_experts", true},
    {"glm4_moe_lite", gated_rms, false, "n_routed_experts", true},
    {.type = "deepseek_v32",
     .defaults = gated_rms,
     .tied = false,
     .experts = "n_routed_experts",
     .latent = true,
     .extend = extend_deepseek_v32,
     .otherwise = indexer_class},
    {.type = "deepseek_v4",
     .defaults = "{gated: true, positions: rope, norm: rmsnorm, bias: false, "
                 "attention: {norm: unit, sinks: true, values_are_keys: true}}",
     .tied = false,
     .experts = "n_routed_experts",
     .extend = extend_deepseek_v4,
     .otherwise = deepseek_v4_class},
    // As SGLang calls its copies in fp8 (sgl-project/DeepSeek-V4-Flash-FP8).
    {.type = "deepseek_ref",
     .defaults = "{gated: true, positions: rope, norm: rmsnorm, bias: false, "
                 "attention: {norm: unit, sinks: true, values_are_keys: true}}",
     .tied = false,
     .experts = "n_routed_experts",
     .extend = extend_deepseek_v4,
     .otherwise = deepseek_v4_class},
    {.type = "glm_moe_dsa",
     .defaults = gated_rms,
     .tied = false,
     .experts = "n_routed_experts",
     .latent = true,
     .extend = extend_deepseek_v32,
     .otherwise = indexer_class},
    {.type = "glm4_moe",
     .defaults = gated_rms,
     .tied = false,
     .experts = "n_routed_experts",
     .extend = extend_glm4_moe},
    {.type = "glm4v_moe",
     .defaults = gated_rms,
     .tied = false,
     .experts = "n_routed_experts",
     .extend = extend_glm4_moe},
    {.type = "mimo_v2_flash",
     .defaults = gated_rms,
     .tied = false,
     .experts = "n_routed_experts",
     .extend = extend_mimo_v2},
    {.type = "solar_open",
     .defaults = gated_rms,
     .tied = false,
     .experts = "n_routed_experts",
     .extend = extend_glm4_moe},
    {.type = "llama4",
     .defaults = llama4,
     .tied = false,
     .experts = "num_local_experts",
     .extend = extend_llama4,
     .otherwise = llama4_class},
    {.type = "gpt_oss",
     .defaults = "{gated: true, positions: rope, norm: rmsnorm, bias: false, "
                 "attention: {bias: all, sinks: true}}",
     .tied = false,
     .experts = "num_local_experts",
     .extend = extend_gpt_oss,
     .otherwise = "{head_dim: 64, sliding_window: 128}"},
    {.type = "hunyuan_v1_moe",
     .defaults = head_norms,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_hunyuan},
    {.type = "longcat_flash",
     .defaults = gated_rms,
     .tied = false,
     .experts = "n_routed_experts",
     .latent = true,
     .extend = extend_longcat,
     .otherwise = "{vocab_size: 131072, hidden_size: 6144, num_attention_heads: 64, "
                  "ffn_hidden_size: 12288, q_lora_rank: 1536, qk_nope_head_dim: 128, "
                  "qk_rope_head_dim: 64, v_head_dim: 128, moe_topk: 12, zero_expert_num: 256, "
                  "expert_ffn_hidden_size: 2048, max_position_embeddings: 131072}"},
    {.type = "step3",
     .defaults = gated_rms,
     .tied = false,
     .experts = "moe_num_experts",
     .extend = extend_step3,
     .otherwise = "{hidden_size: 7168, intermediate_size: 18432, num_attention_heads: 64, "
                  "num_attention_groups: 1, num_hidden_layers: 61, max_seq_len: 65536, "
                  "vocab_size: 128815, moe_intermediate_size: 5120, moe_top_k: 3, "
                  "share_expert_dim: 5120, share_q_dim: 2048, head_dim: 256}"},
    {.type = "step3p5",
     .defaults = head_norms,
     .tied = false,
     .experts = "moe_num_experts",
     .extend = extend_step3p5,
     .otherwise = "{hidden_size: 4096, intermediate_size: 11264, num_attention_heads: 64, "
                  "num_attention_groups: 8, num_hidden_layers: 45, max_seq_len: 128000, "
                  "vocab_size: 128815, moe_intermediate_size: 1280, moe_top_k: 8}"},
    {.type = "step3p7",
     .defaults = head_norms,
     .tied = false,
     .experts = "moe_num_experts",
     .extend = extend_step3p5},
    {.type = "minimax_m3",
     .defaults = gated_rms,
     .tied = false,
     .experts = "num_local_experts",
     .extend = extend_minimax_m3},
    {.type = "minimax_m3_vl",
     .defaults = gated_rms,
     .tied = false,
     .experts = "num_local_experts",
     .extend = extend_minimax_m3},
    {.type = "minimax_m2",
     .defaults = gated_rms,
     .tied = false,
     .experts = "num_local_experts",
     .extend = extend_minimax_m2},
};

}  // namespace

std::span<const Family> expert_families() { return expert_table; }

}  // namespace pipewright::hugging_face
