// The families whose configurations are read, each as its library's configuration and modelling
// files have it (github.com/huggingface/transformers, src/transformers/models/TYPE/; MiniMax M1 and
// M2, Kimi K2: the modelling files beside the weights).
//
// A family decides what its configuration does not say: the MLP's form, the norm, the positions,
// whether blocks are parallel. What its class takes for a key that a file leaves out stands under
// `otherwise` where published files leave it out; the number of experts must always be said.
#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr const char* llama = "{gated: true, positions: rope, norm: rmsnorm, bias: false}";
constexpr const char* classic = "{positions: learned, norm: layernorm, bias: true}";
constexpr const char* encoder = "{positions: learned, norm: layernorm, bias: true, encoder: true}";
constexpr const char* parallel =
    "{positions: rope, norm: layernorm, bias: true, dropout: false, parallel_block: true}";
constexpr const char* head_norms =
    "{gated: true, positions: rope, norm: rmsnorm, bias: false, attention: {norm: head}}";
constexpr const char* gemma3 =
    "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: both, "
    "attention: {norm: head}}";
constexpr const char* gemma3_class =
    "{vocab_size: 262208, hidden_size: 2304, intermediate_size: 9216, num_hidden_layers: 26, "
    "num_attention_heads: 8, num_key_value_heads: 4, head_dim: 256, sliding_window: 4096, "
    "max_position_embeddings: 131072}";
constexpr const char* llama4 =
    "{gated: true, positions: rope, norm: rmsnorm, bias: false, "
    "attention: {local_positions: true}}";
constexpr const char* llama4_class =
    "{vocab_size: 202048, hidden_size: 5120, intermediate_size: 8192, "
    "intermediate_size_mlp: 16384, num_hidden_layers: 48, num_attention_heads: 40, "
    "num_key_value_heads: 8, head_dim: 128, num_experts_per_tok: 1, "
    "interleave_moe_layer_step: 1, no_rope_layer_interval: 4, attention_chunk_size: 8192, "
    "use_qk_norm: true, max_position_embeddings: 131072}";
constexpr const char* gated_heads =
    "{gated: true, positions: rope, norm: rmsnorm, bias: false, "
    "attention: {norm: head, gate: true}}";
constexpr const char* qwen3_next_class =
    "{head_dim: 256, full_attention_interval: 4, linear_conv_kernel_dim: 4, "
    "linear_key_head_dim: 128, linear_value_head_dim: 128, linear_num_key_heads: 16, "
    "linear_num_value_heads: 32}";
constexpr const char* state_space = "{positions: none, norm: rmsnorm, bias: false, gated: false}";

constexpr Family table[] = {
    {"llama", llama, false, ""},
    {"mistral", llama, false, ""},
    {"mixtral", llama, false, "num_local_experts"},
    {"phi3", llama, false, ""},
    {"granite", llama, false, ""},
    {"granitemoe", llama, false, "num_local_experts"},
    {.type = "qwen2", .defaults = llama, .tied = false, .extend = extend_qwen2},
    {.type = "qwen2_moe",
     .defaults = llama,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_qwen2},
    {"qwen3", head_norms, false, ""},
    {"qwen3_moe", head_norms, false, "num_experts"},
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
    {"deepseek", llama, false, "n_routed_experts"},
    {"deepseek_v2", llama, false, "n_routed_experts", true},
    {"deepseek_v3", llama, false, "n_routed_experts", true},
    {"kimi_k2", llama, false, "n_routed_experts", true},
    {.type = "kimi_linear",
     .defaults = "{gated: true, positions: none, norm: rmsnorm, bias: false}",
     .tied = false,
     .experts = "num_experts",
     .latent = true,
     .extend = extend_kimi_linear},
    {.type = "deepseek_v32",
     .defaults = llama,
     .tied = false,
     .experts = "n_routed_experts",
     .latent = true,
     .extend = extend_deepseek_v32,
     .otherwise = "{index_n_heads: 64, index_head_dim: 128, index_topk: 2048}"},
    {.type = "glm4_moe",
     .defaults = llama,
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
    {.type = "olmo2",
     .defaults = "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: after, "
                 "attention: {norm: width}}"},
    {.type = "gemma",
     .defaults = llama,
     .tied = true,
     .otherwise = "{head_dim: 256, max_position_embeddings: 8192}"},
    {.type = "gemma2",
     .defaults = "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: both}",
     .tied = true,
     .extend = extend_gemma2,
     .otherwise = "{vocab_size: 256000, head_dim: 256, sliding_window: 4096, "
                  "attn_logit_softcapping: 50.0, final_logit_softcapping: 30.0, "
                  "max_position_embeddings: 8192}"},
    {.type = "gemma3",
     .defaults = gemma3,
     .tied = true,
     .extend = extend_gemma3,
     .otherwise = gemma3_class},
    {.type = "cohere2",
     .defaults = "{gated: true, positions: rope, norm: layernorm, bias: false, "
                 "parallel_block: true, attention: {local_positions: true}}",
     .tied = true,
     .extend = extend_cohere2,
     .otherwise = "{sliding_window: 4096}"},
    {.type = "hunyuan_v1_moe",
     .defaults = head_norms,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_hunyuan},
    {.type = "minimax",
     .defaults = llama,
     .tied = false,
     .experts = "num_local_experts",
     .extend = extend_minimax},
    {.type = "minimax_text_01",
     .defaults = llama,
     .tied = false,
     .experts = "num_local_experts",
     .extend = extend_minimax},
    {.type = "minimax_m1",
     .defaults = llama,
     .tied = false,
     .experts = "num_local_experts",
     .extend = extend_minimax},
    {.type = "minimax_m2",
     .defaults = llama,
     .tied = false,
     .experts = "num_local_experts",
     .extend = extend_minimax_m2},
    {.type = "mamba2",
     .defaults = state_space,
     .tied = false,
     .extend = extend_mamba2,
     .otherwise = "{vocab_size: 32768, hidden_size: 4096, num_hidden_layers: 64, num_heads: 128, "
                  "head_dim: 64, state_size: 128, n_groups: 8, conv_kernel: 4, chunk_size: 256}"},
    {.type = "nemotron_h",
     .defaults = state_space,
     .tied = false,
     .extend = extend_nemotron_h,
     .otherwise = "{num_attention_heads: 32, num_key_value_heads: 8, mamba_num_heads: 128, "
                  "mamba_head_dim: 64, ssm_state_size: 128, n_groups: 8, conv_kernel: 4, "
                  "chunk_size: 128}"},
    {"gpt2", classic, true, ""},
    {"opt", classic, true, ""},
    {"bert", encoder, true, ""},
    // Positions are counted on from the padding's, 1.
    {.type = "roberta", .defaults = encoder, .tied = true, .no_token = 2},
    {"bloom", "{positions: alibi, norm: layernorm, bias: true, dropout: false}", true, ""},
    {"mpt", "{positions: alibi, norm: layernorm, bias: false}", true, ""},
    {"gptj", parallel, false, ""},
    {"gpt_neox", parallel, false, ""},
    {"falcon", "{positions: rope, norm: layernorm, bias: false, parallel_block: true}", true, ""},
    {"nemotron", "{positions: rope, norm: layernorm, bias: false}", false, ""},
};

constexpr Unmodelled not_modelled[] = {
    {"deepseek_v4", "its residual streams have hyper-connections, its attention compresses keys"},
    {"gemma3n", "its blocks predict one another's streams and share keys"},
    {"hunyuan", "its layers share keys (use_cla)"},
    {"jamba", "its state-space layers are Mamba 1"},
    {"mamba", "its state-space layers are Mamba 1"},
    {"t5", "its configuration is of two stacks; give 'transformer' with 'decoder'"},
};

}  // namespace

std::span<const Family> families() { return table; }
std::span<const Unmodelled> unmodelled() { return not_modelled; }

}  // namespace pipewright::hugging_face
