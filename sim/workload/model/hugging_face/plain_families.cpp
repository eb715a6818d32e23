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
constexpr const char* gelu_new = "{activation_function: gelu_new}";
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
constexpr const char* gemma3_class =
    "{vocab_size: 262208, hidden_size: 2304, intermediate_size: 9216, num_hidden_layers: 26, "
    "num_attention_heads: 8, num_key_value_heads: 4, head_dim: 256, sliding_window: 4096, "
    "max_position_embeddings: 131072}";
constexpr const char* cohere =
    "{gated: true, positions: rope, norm: layernorm, bias: false, parallel_block: true}";
constexpr const char* llama_class =
    "{vocab_size: 32000, hidden_size: 4096, intermediate_size: 11008, num_hidden_layers: 32, "
    "num_attention_heads: 32, max_position_embeddings: 2048}";
constexpr const char* mistral_class =
    "{vocab_size: 32000, hidden_size: 4096, intermediate_size: 14336, num_hidden_layers: 32, "
    "num_attention_heads: 32, num_key_value_heads: 8, sliding_window: 4096, "
    "max_position_embeddings: 131072}";
constexpr const char* qwen2_class =
    "{vocab_size: 151936, hidden_size: 4096, intermediate_size: 22016, num_hidden_layers: 32, "
    "num_attention_heads: 32, num_key_value_heads: 32, max_position_embeddings: 32768}";
constexpr const char* qwen2_vl_window =
    "{use_sliding_window: false, sliding_window: 4096, max_window_layers: 80}";
constexpr const char* qwen2_vl_class =
    "{vocab_size: 152064, hidden_size: 8192, intermediate_size: 29568, num_hidden_layers: 80, "
    "num_attention_heads: 64, num_key_value_heads: 8, max_position_embeddings: 32768}";

constexpr const char* t5 =
    "{gated: false, positions: none, norm: rmsnorm, bias: false, dropout: true}";
constexpr const char* t5_class = "{d_kv: 64, n_positions: 512}";

constexpr Family plain_table[] = {
    {.type = "llama", .defaults = gated_rms, .tied = false, .in_text_config = llama_class},
    {.type = "mistral", .defaults = gated_rms, .tied = false, .in_text_config = mistral_class},
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
    {.type = "minicpm3",
     .defaults = gated_rms,
     .tied = true,
     .latent = true,
     .otherwise = "{v_head_dim: 64}"},
    {.type = "youtu_llm", .defaults = gated_rms, .tied = true, .latent = true},
    {"baichuan", gated_rms, false, ""},
    {"xverse", gated_rms, false, ""},
    {.type = "qwen", .defaults = gated_rms, .tied = false, .extend = extend_qwen},
    {.type = "chatglm",
     .defaults = gated_rms,
     .tied = false,
     .extend = extend_chatglm,
     .otherwise = "{vocab_size: 65024}"},
    {.type = "qwen2",
     .defaults = gated_rms,
     .tied = false,
     .extend = extend_qwen2,
     .otherwise = qwen_window,
     .in_text_config = qwen2_class},
    {.type = "mimo",
     .defaults = gated_rms,
     .tied = false,
     .extend = extend_qwen2,
     .otherwise = qwen_window},
    {.type = "qwen2_vl",
     .defaults = gated_rms,
     .tied = false,
     .extend = extend_qwen2,
     .otherwise = qwen2_vl_window,
     .in_text_config = qwen2_vl_class},
    {.type = "qwen2_5_vl",
     .defaults = gated_rms,
     .tied = false,
     .extend = extend_qwen2,
     .otherwise = qwen2_vl_window,
     .in_text_config = qwen2_vl_class},
    {.type = "qwen2_5_omni",
     .defaults = gated_rms,
     .tied = false,
     .extend = extend_qwen2,
     .otherwise = "{use_sliding_window: false, sliding_window: 32768, max_window_layers: 28}"},
    {.type = "qwen3",
     .defaults = head_norms,
     .tied = false,
     .extend = extend_qwen3,
     .otherwise = qwen_window},
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
    {.type = "gemma",
     .defaults = gated_rms,
     .tied = true,
     .otherwise = "{head_dim: 256, max_position_embeddings: 8192}"},
    {.type = "gemma2",
     .defaults = gemma2,
     .tied = true,
     .extend = extend_gemma2,
     .otherwise = "{vocab_size: 256000, head_dim: 256, sliding_window: 4096, "
                  "attn_logit_softcapping: 50.0, final_logit_softcapping: 30.0, "
                  "max_position_embeddings: 8192}"},
    {.type = "vaultgemma",
     .defaults = gated_rms,
     .tied = true,
     .extend = extend_gemma2,
     .otherwise = "{head_dim: 256, attn_logit_softcapping: 50.0, final_logit_softcapping: 30.0}"},
    {.type = "gemma3",
     .defaults = gemma3,
     .tied = true,
     .extend = extend_gemma3,
     .otherwise = gemma3_class},
    {.type = "gemma3n",
     .defaults = "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: both, "
                 "attention: {norm: head, value_norm: true}}",
     .tied = true,
     .extend = extend_gemma3n,
     .otherwise = "{vocab_size: 262400, hidden_size: 2048, intermediate_size: 16384, "
                  "num_hidden_layers: 35, num_attention_heads: 8, num_key_value_heads: 2, "
                  "head_dim: 256, sliding_window: 512, final_logit_softcapping: 30.0, "
                  "vocab_size_per_layer_input: 262144, hidden_size_per_layer_input: 256, "
                  "altup_num_inputs: 4, num_kv_shared_layers: 15, laurel_rank: 64, "
                  "max_position_embeddings: 32768}"},
    {.type = "nemotron-nas", .defaults = gated_rms, .tied = false, .extend = extend_nemotron_nas},
    {.type = "gemma4",
     .defaults = "{gated: true, positions: rope, norm: rmsnorm, bias: false, norms: both, "
                 "attention: {norm: head, value_norm: true}}",
     .tied = true,
     .extend = extend_gemma4,
     .otherwise = "{vocab_size: 262144, hidden_size: 2304, intermediate_size: 9216, "
                  "num_hidden_layers: 30, num_attention_heads: 8, num_key_value_heads: 4, "
                  "head_dim: 256, global_head_dim: 512, sliding_window: 512, "
                  "hidden_size_per_layer_input: 256, max_position_embeddings: 131072}"},
    {.type = "cohere", .defaults = cohere, .tied = true, .extend = extend_cohere},
    {.type = "cohere2",
     .defaults = "{gated: true, positions: rope, norm: layernorm, bias: false, "
                 "parallel_block: true, attention: {local_positions: true}}",
     .tied = true,
     .extend = extend_cohere2,
     .otherwise = "{sliding_window: 4096}"},
    {.type = "stablelm",
     .defaults = "{gated: true, positions: rope, norm: layernorm, bias: false, dropout: false}",
     .tied = false,
     .extend = extend_stablelm},
    {"starcoder2", "{gated: false, positions: rope, norm: layernorm, bias: true, dropout: false}",
     true, ""},
    {.type = "phi", .defaults = parallel, .tied = false, .otherwise = "{hidden_act: gelu_new}"},
    {.type = "gpt2", .defaults = classic, .tied = true, .otherwise = gelu_new},
    {.type = "gpt_neo",
     .defaults = classic,
     .tied = true,
     .extend = extend_gpt_neo,
     .otherwise = gelu_new},
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
    {.type = "t5", .defaults = t5, .tied = true, .extend = extend_t5, .otherwise = t5_class},
    {.type = "mt5", .defaults = t5, .tied = false, .extend = extend_t5, .otherwise = t5_class},
    {.type = "umt5", .defaults = t5, .tied = false, .extend = extend_t5, .otherwise = t5_class},
    {.type = "whisper",
     .defaults = "{gated: false, positions: learned, norm: layernorm, bias: true, dropout: false}",
     .tied = true,
     .extend = extend_whisper,
     .otherwise = "{vocab_size: 51865, d_model: 384, num_hidden_layers: 4, "
                  "num_attention_heads: 6, decoder_layers: 4, encoder_ffn_dim: 1536, num_mel_bins: "
                  "80, max_source_positions: 1500, max_target_positions: 448}"},
    {"bloom", "{positions: alibi, norm: layernorm, bias: true, dropout: false}", true, ""},
    {"mpt", "{positions: alibi, norm: layernorm, bias: false}", true, ""},
    {.type = "gptj", .defaults = parallel, .tied = false, .otherwise = gelu_new},
    {.type = "codegen", .defaults = parallel, .tied = false, .otherwise = gelu_new},
    {"gpt_neox", parallel, false, ""},
    {"falcon", "{positions: rope, norm: layernorm, bias: false, parallel_block: true}", true, ""},
    {"nemotron", "{positions: rope, norm: layernorm, bias: false}", false, ""},
};

}  // namespace

std::span<const Family> plain_families() { return plain_table; }

}  // namespace pipewright::hugging_face
