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

constexpr Family hybrid_table[] = {
    {.type = "qwen3_next",
     .defaults = gated_heads,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_qwen3_next},
    {.type = "qwen3_5", .defaults = gated_heads, .tied = false, .extend = extend_qwen3_next},
    {.type = "qwen3_5_moe",
     .defaults = gated_heads,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_qwen3_next},
    // Blocks of the gated delta rule have their norms before, which are as many.
    {.type = "olmo_hybrid",
     .defaults = "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: after, "
                 "attention: {norm: width}}",
     .tied = false,
     .extend = extend_olmo_hybrid},
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
    {.type = "lfm2", .defaults = head_norms, .tied = true, .extend = extend_lfm2},
    {.type = "lfm2_moe",
     .defaults = head_norms,
     .tied = true,
     .experts = "num_experts",
     .extend = extend_lfm2_moe},
    {.type = "falcon_h1", .defaults = gated_rms, .tied = false, .extend = extend_falcon_h1},
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
     .attends = false},
    {.type = "falcon_mamba",
     .defaults = state_space,
     .tied = true,
     .extend = extend_falcon_mamba,
     .attends = false},
    {.type = "jamba",
     .defaults = no_positions,
     .tied = false,
     .experts = "num_experts",
     .extend = extend_jamba},
    {.type = "recurrent_gemma",
     .defaults = "{gated: true, positions: rope, norm: rmsnorm, bias: true, dropout: false}",
     .tied = true,
     .extend = extend_recurrent_gemma},
    {.type = "rwkv7",
     .defaults = "{gated: false, positions: none, norm: layernorm, bias: false, dropout: false}",
     .tied = false,
     .extend = extend_rwkv7,
     .attends = false},
    {.type = "mamba2",
     .defaults = state_space,
     .tied = false,
     .extend = extend_mamba2,
     .attends = false},
    {.type = "nemotron_h", .defaults = state_space, .tied = false, .extend = extend_nemotron_h},
    {.type = "bamba", .defaults = gated_rms, .tied = false, .extend = extend_bamba},
    {.type = "granitemoehybrid",
     .defaults = gated_rms,
     .tied = false,
     .extend = extend_granite_hybrid},
};

}  // namespace

std::span<const Family> hybrid_families() { return hybrid_table; }

}  // namespace pipewright::hugging_face
