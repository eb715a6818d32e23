// Families whose blocks all have attention and an MLP, each as its library's configuration and
// modelling files have it (github.com/huggingface/transformers, src/transformers/models/TYPE/;
// InternLM, MiniCPM, Qwen 1, ChatGLM, Baichuan, MiMo, EXAONE 3: the modelling files beside the
// weights).
#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr const char* ungated =
    "{gated: false, positions: rope, norm: rmsnorm, bias: false, dropout: false}";
constexpr const char* classic = "{positions: learned, norm: layernorm, bias: true}";
constexpr const char* encoder = "{positions: learned, norm: layernorm, bias: true, encoder: true}";
constexpr const char* parallel =
    "{positions: rope, norm: layernorm, bias: true, dropout: false, parallel_block: true}";
constexpr const char* normed_after =
    "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: after, "
    "attention: {norm: width}}";
constexpr const char* normed_after_heads =
    "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: after, "
    "attention: {norm: head}}";
constexpr const char* gemma2 =
    "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: both}";
constexpr const char* gemma3 =
    "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: both, "
    "attention: {norm: head}}";
constexpr const char* cohere =
    "{gated: true, positions: rope, norm: layernorm, bias: false, parallel_block: true}";

constexpr const char* t5 =
    "{gated: false, positions: none, norm: rmsnorm, bias: false, dropout: true}";

constexpr Family plain_table[] = {
    {.type = "llama", .defaults = gated_rms, .tied = false},
    {.type = "mistral", .defaults = gated_rms, .tied = false},
    {"ministral", gated_rms, false, ""},
    {"ministral3", gated_rms, false, ""},
    {"phi3", gated_rms, false, ""},
    {"phi3_v", gated_rms, false, ""},
    {"granite", gated_rms, false, ""},
    {.type = "hyperclovax", .defaults = gated_rms, .tied = false, .extend = extend_hyperclovax},
    {"cwm", gated_rms, false, ""},
    {"jais2", "{gated: false, positions: rope, norm: layernorm, bias: true, dropout: false}", false,
     ""},
    {"ernie4_5", gated_rms, true, ""},
    {"smollm3", gated_rms, true, ""},
    {.type = "seed_oss", .defaults = gated_rms, .tied = false, .extend = extend_biased_inputs},
    {.type = "helium", .defaults = gated_rms, .tied = false, .extend = extend_biased_inputs},
    {.type = "glm", .defaults = gated_rms, .tied = false, .extend = extend_biased_inputs},
    {"exaone", gated_rms, false, ""},
    {.type = "exaone4", .defaults = normed_after_heads, .tied = false, .extend = extend_exaone4},
    {.type = "exaone4_5", .defaults = normed_after_heads, .tied = false, .extend = extend_exaone4},
    {"telechat3", gated_rms, false, ""},
    {.type = "internlm2", .defaults = gated_rms, .tied = false, .extend = extend_internlm2},
    {"internlm3", gated_rms, false, ""},
    {"minicpm", gated_rms, true, ""},
    {.type = "minicpm3", .defaults = gated_rms, .tied = true, .latent = true},
    {.type = "youtu_llm", .defaults = gated_rms, .tied = true, .latent = true},
    {"baichuan", gated_rms, false, ""},
    {"xverse", gated_rms, false, ""},
    {.type = "qwen", .defaults = gated_rms, .tied = false, .extend = extend_qwen},
    {.type = "chatglm", .defaults = gated_rms, .tied = false, .extend = extend_chatglm},
    {.type = "qwen2", .defaults = gated_rms, .tied = false, .extend = extend_qwen2},
    {.type = "mimo", .defaults = gated_rms, .tied = false, .extend = extend_qwen2},
    {.type = "qwen2_vl", .defaults = gated_rms, .tied = false, .extend = extend_qwen2},
    {.type = "qwen2_5_vl", .defaults = gated_rms, .tied = false, .extend = extend_qwen2},
    {.type = "qwen2_5_omni", .defaults = gated_rms, .tied = false, .extend = extend_qwen2},
    {.type = "qwen3", .defaults = head_norms, .tied = false, .extend = extend_qwen3},
    {"qwen3_vl", head_norms, false, ""},
    {.type = "hunyuan_v1_dense", .defaults = head_norms, .tied = false, .extend = extend_qk_norm},
    {"apertus",
     "{gated: false, positions: rope, norm: rmsnorm, bias: false, dropout: false, "
     "attention: {norm: head}}",
     false, ""},
    {"arcee", ungated, false, ""},
    {"nanochat",
     "{gated: false, positions: rope, norm: rmsnorm, bias: false, dropout: false, "
     "attention: {norm: unit}}",
     false, ""},
    {.type = "glm4", .defaults = gemma2, .tied = false, .extend = extend_biased_inputs},
    {.type = "glm4v", .defaults = gemma2, .tied = false, .extend = extend_biased_inputs},
    {"olmo", gated_rms, false, ""},
    {"olmo2", normed_after, false, ""},
    {.type = "olmo3", .defaults = normed_after, .tied = false, .extend = extend_olmo3},
    {.type = "gemma", .defaults = gated_rms, .tied = true},
    {.type = "gemma2", .defaults = gemma2, .tied = true, .extend = extend_gemma2},
    {.type = "vaultgemma", .defaults = gated_rms, .tied = true, .extend = extend_gemma2},
    {.type = "gemma3", .defaults = gemma3, .tied = true, .extend = extend_gemma3},
    {.type = "gemma3n",
     .defaults = "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: both, "
                 "attention: {norm: head, value_norm: true}}",
     .tied = true,
     .extend = extend_gemma3n},
    {.type = "nemotron-nas", .defaults = gated_rms, .tied = false, .extend = extend_nemotron_nas},
    {.type = "gemma4",
     .defaults = "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: both, "
                 "attention: {norm: head, value_norm: true}}",
     .tied = true,
     .extend = extend_gemma4},
    {.type = "cohere", .defaults = cohere, .tied = true, .extend = extend_cohere},
    {.type = "cohere2",
     .defaults = "{gated: true, positions: rope, norm: layernorm, bias: false, "
                 "parallel_block: true, attention: {local_positions: true}}",
     .tied = true,
     .extend = extend_cohere2},
    {.type = "stablelm",
     .defaults = "{gated: true, positions: rope, norm: layernorm, bias: false, dropout: false}",
     .tied = false,
     .extend = extend_stablelm},
    {"starcoder2", "{gated: false, positions: rope, norm: layernorm, bias: true, dropout: false}",
     true, ""},
    {.type = "phi", .defaults = parallel, .tied = false},
    {.type = "gpt2", .defaults = classic, .tied = true},
    {.type = "gpt_neo", .defaults = classic, .tied = true, .extend = extend_gpt_neo},
    {.type = "gpt_bigcode", .defaults = classic, .tied = true, .extend = extend_gpt_bigcode},
    {.type = "opt", .defaults = classic, .tied = true, .extend = extend_opt},
    {"bert", encoder, true, ""},
    // Positions are counted on from the padding's, 1.
    {.type = "roberta", .defaults = encoder, .tied = true, .no_token = 2},
    {.type = "camembert", .defaults = encoder, .tied = true, .no_token = 2},
    {.type = "xlm-roberta", .defaults = encoder, .tied = true, .no_token = 2},
    {.type = "distilbert", .defaults = encoder, .tied = true, .extend = extend_distilbert},
    {.type = "modernbert",
     .defaults = "{gated: true, positions: rope, norm: layernorm, bias: false, encoder: true}",
     .tied = true,
     .extend = extend_modernbert},
    {.type = "t5", .defaults = t5, .tied = true, .extend = extend_t5},
    {.type = "mt5", .defaults = t5, .tied = false, .extend = extend_t5},
    {.type = "umt5", .defaults = t5, .tied = false, .extend = extend_t5},
    {.type = "whisper",
     .defaults = "{gated: false, positions: learned, norm: layernorm, bias: true, dropout: false}",
     .tied = true,
     .extend = extend_whisper},
    {"bloom", "{positions: alibi, norm: layernorm, bias: true, dropout: false}", true, ""},
    {"mpt", "{positions: alibi, norm: layernorm, bias: false}", true, ""},
    {.type = "gptj", .defaults = parallel, .tied = false},
    {.type = "codegen", .defaults = parallel, .tied = false},
    {"gpt_neox", parallel, false, ""},
    {"falcon", "{positions: rope, norm: layernorm, bias: false, parallel_block: true}", true, ""},
    {"nemotron", "{positions: rope, norm: layernorm, bias: false}", false, ""},
};

}  // namespace

std::span<const Family> plain_families() { return plain_table; }

}  // namespace pipewright::hugging_face
