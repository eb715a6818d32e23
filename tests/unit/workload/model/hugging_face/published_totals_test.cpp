// Configurations of many families (config.json of the repository named) against all parameters that
// the repository's safetensors hold. Qwen3-Next's include a module that predicts a further token.
#include <gtest/gtest.h>

#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

struct Totalled {
  const char* name;
  std::string json;
  double total;
  int64_t image = 0;  ///< side of an image for the tower; 0: no tower
};

const Totalled totalled[] = {
    {"LGAI-EXAONE/EXAONE-4.0-32B",
     R"({"model_type": "exaone4", "head_dim": 128, "hidden_size": 5120, "intermediate_size":
      27392, "max_position_embeddings": 131072, "num_attention_heads": 40,
      "num_hidden_layers": 64, "num_key_value_heads": 8, "sliding_window": 4096,
      "sliding_window_pattern": "LLLG", "vocab_size": 102400, "tie_word_embeddings":
      false})",
     32003216384},
    {"ibm-granite/granite-4.0-h-tiny",
     R"({"model_type": "granitemoehybrid", "attention_bias": false, "hidden_size": 1536,
      "intermediate_size": 512, "num_local_experts": 64, "num_experts_per_tok": 6,
      "shared_intermediate_size": 1024, "num_attention_heads": 12, "num_key_value_heads":
      4, "num_hidden_layers": 40, "mamba_d_conv": 4, "mamba_d_head": 64, "mamba_d_state":
      128, "mamba_expand": 2, "mamba_n_groups": 1, "mamba_n_heads": 48,
      "mamba_chunk_size": 256, "mamba_conv_bias": true, "mamba_proj_bias": false,
      "max_position_embeddings": 131072, "position_embedding_type": "nope",
      "tie_word_embeddings": true, "vocab_size": 100352, "layer_types": ["mamba", "mamba",
      "mamba", "mamba", "mamba", "attention", "mamba", "mamba", "mamba", "mamba", "mamba",
      "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba", "mamba", "mamba",
      "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba", "mamba",
      "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba",
      "mamba", "mamba"]})",
     6939037248},
    {"LiquidAI/LFM2-350M",
     R"({"model_type": "lfm2", "block_auto_adjust_ff_dim": true, "block_dim": 1024,
      "block_ff_dim": 6656, "block_ffn_dim_multiplier": 1.0, "block_multiple_of": 256,
      "conv_L_cache": 3, "conv_bias": false, "conv_dim": 1024, "conv_dim_out": 1024,
      "full_attn_idxs": [2, 5, 8, 10, 12, 14], "hidden_size": 1024,
      "max_position_embeddings": 128000, "num_attention_heads": 16, "num_heads": 16,
      "num_hidden_layers": 16, "num_key_value_heads": 8, "vocab_size": 65536})",
     354483968},
    {"LiquidAI/LFM2-2.6B",
     R"({"model_type": "lfm2", "block_auto_adjust_ff_dim": false, "block_ff_dim": 10752,
      "block_ffn_dim_multiplier": 1.0, "block_multiple_of": 256, "conv_L_cache": 3,
      "conv_bias": false, "hidden_size": 2048, "intermediate_size": 10752,
      "max_position_embeddings": 128000, "num_attention_heads": 32, "num_heads": 32,
      "num_hidden_layers": 30, "num_key_value_heads": 8, "vocab_size": 65536,
      "layer_types": ["conv", "conv", "full_attention", "conv", "conv", "full_attention",
      "conv", "conv", "conv", "full_attention", "conv", "conv", "conv", "full_attention",
      "conv", "conv", "conv", "full_attention", "conv", "conv", "conv", "full_attention",
      "conv", "conv", "full_attention", "conv", "conv", "full_attention", "conv", "conv"]})",
     2569272320},
    {"tencent/Hunyuan-A13B-Instruct",
     R"({"model_type": "hunyuan_v1_moe", "attention_bias": false, "attention_head_dim": 128,
      "head_dim": 128, "hidden_size": 4096, "intermediate_size": 3072,
      "max_position_embeddings": 32768, "moe_intermediate_size": [3072, 3072, 3072, 3072,
      3072, 3072, 3072, 3072, 3072, 3072, 3072, 3072, 3072, 3072, 3072, 3072, 3072, 3072,
      3072, 3072, 3072, 3072, 3072, 3072, 3072, 3072, 3072, 3072, 3072, 3072, 3072, 3072],
      "moe_topk": [8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
      8, 8, 8, 8, 8, 8, 8, 8], "num_attention_heads": 32, "num_experts": 64,
      "num_hidden_layers": 32, "num_key_value_heads": 8, "num_shared_expert": [1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
      "use_qk_norm": true, "use_mixed_mlp_moe": true, "use_cla": false,
      "tie_word_embeddings": true, "vocab_size": 128167, "cla_share_factor": 2,
      "norm_type": "rms", "mlp_bias": false})",
     80393183232},
    {"tencent/Hunyuan-7B-Instruct",
     R"({"model_type": "hunyuan_v1_dense", "attention_bias": false, "head_dim": 128,
      "hidden_size": 4096, "intermediate_size": 14336, "max_position_embeddings": 262144,
      "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
      "use_qk_norm": true, "tie_word_embeddings": true, "vocab_size": 128167})",
     7504564224},
    {"allenai/Olmo-3-1125-32B",
     R"({"model_type": "olmo3", "hidden_size": 5120, "intermediate_size": 27648,
      "max_position_embeddings": 65536, "num_attention_heads": 40, "num_hidden_layers":
      64, "num_key_value_heads": 8, "sliding_window": 4096, "layer_types":
      ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention", "full_attention"],
      "vocab_size": 100278, "tie_word_embeddings": false})",
     32233522176},
    {"mistralai/Ministral-8B-Instruct-2410",
     R"({"model_type": "mistral", "head_dim": 128, "hidden_size": 4096, "intermediate_size":
      12288, "max_position_embeddings": 32768, "num_attention_heads": 32,
      "num_hidden_layers": 36, "num_key_value_heads": 8, "sliding_window": 32768,
      "vocab_size": 131072, "tie_word_embeddings": false})",
     8019808256},
    {"moonshotai/Kimi-Linear-48B-A3B-Instruct",
     R"({"model_type": "kimi_linear", "first_k_dense_replace": 1, "head_dim": 72,
      "hidden_size": 2304, "intermediate_size": 9216, "kv_lora_rank": 512,
      "linear_attn_config": {"full_attn_layers": [4, 8, 12, 16, 20, 24, 27], "head_dim":
      128, "kda_layers": [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23,
      25, 26], "num_heads": 32, "short_conv_kernel_size": 4}, "mla_use_nope": true,
      "model_max_length": 1048576, "moe_intermediate_size": 1024, "moe_layer_freq": 1,
      "num_attention_heads": 32, "num_expert_group": 1, "num_experts": 256,
      "num_experts_per_token": 8, "num_hidden_layers": 27, "num_key_value_heads": 32,
      "num_nextn_predict_layers": 0, "num_shared_experts": 1, "q_lora_rank": null,
      "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size":
      163840, "tie_word_embeddings": false, "topk_group": 1, "use_grouped_topk": true})",
     49122681728},
    {"Qwen/Qwen3-Next-80B-A3B-Instruct",
     R"({"model_type": "qwen3_next", "attention_bias": false, "decoder_sparse_step": 1,
      "full_attention_interval": 4, "head_dim": 256, "hidden_size": 2048,
      "intermediate_size": 5120, "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128,
      "linear_num_key_heads": 16, "linear_num_value_heads": 32, "linear_value_head_dim":
      128, "max_position_embeddings": 262144, "mlp_only_layers": [],
      "moe_intermediate_size": 512, "num_attention_heads": 16, "num_experts": 512,
      "num_experts_per_tok": 10, "num_hidden_layers": 48, "num_key_value_heads": 2,
      "partial_rotary_factor": 0.25, "shared_expert_intermediate_size": 512,
      "tie_word_embeddings": false, "vocab_size": 151936, "predict": 1})",
     81324862720},
    {"nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
     R"({"model_type": "nemotron_h", "attention_bias": false, "chunk_size": 128,
      "conv_kernel": 4, "expand": 2, "head_dim": 128, "hidden_size": 2688,
      "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
      "intermediate_size": 1856, "mamba_head_dim": 64, "mamba_num_heads": 64,
      "mamba_proj_bias": false, "max_position_embeddings": 262144, "mlp_bias": false,
      "mlp_hidden_act": "relu2", "moe_intermediate_size": 1856,
      "moe_shared_expert_intermediate_size": 3712, "n_group": 1, "n_groups": 8,
      "n_routed_experts": 128, "n_shared_experts": 1, "num_attention_heads": 32,
      "num_experts_per_tok": 6, "num_hidden_layers": 52, "num_key_value_heads": 2,
      "ssm_state_size": 128, "tie_word_embeddings": false, "topk_group": 1, "use_bias":
      false, "use_conv_bias": true, "vocab_size": 131072})",
     31577937344},
    {"nvidia/NVIDIA-Nemotron-Nano-12B-v2",
     R"({"model_type": "nemotron_h", "attention_bias": false, "conv_kernel": 4, "expand": 2,
      "head_dim": 128, "hidden_size": 5120, "hybrid_override_pattern":
      "M-M-M-M*-M-M-M-M*-M-M-M-M*-M-M-M-M*-M-M-M-M*-M-M-M-M*-M-M-M-M-",
      "intermediate_size": 20480, "mamba_head_dim": 80, "mamba_num_heads": 128,
      "max_position_embeddings": 131072, "mlp_hidden_act": "relu2", "n_groups": 8,
      "num_attention_heads": 40, "num_hidden_layers": 62, "num_key_value_heads": 8,
      "ssm_state_size": 128, "tie_word_embeddings": false, "vocab_size": 131072})",
     12310001152},
    {"ai21labs/AI21-Jamba-1.5-Large",
     R"({"model_type": "jamba", "attn_layer_offset": 4, "attn_layer_period": 8,
      "expert_layer_offset": 1, "expert_layer_period": 2, "hidden_size": 8192,
      "intermediate_size": 24576, "mamba_conv_bias": true, "mamba_d_conv": 4,
      "mamba_d_state": 16, "mamba_dt_rank": 512, "mamba_expand": 2, "mamba_proj_bias":
      false, "max_position_embeddings": 262144, "num_attention_heads": 64, "num_experts":
      16, "num_experts_per_tok": 2, "num_hidden_layers": 72, "num_key_value_heads": 8,
      "tie_word_embeddings": false, "vocab_size": 65536})",
     398555820544},
    {"answerdotai/ModernBERT-large",
     R"({"model_type": "modernbert", "classifier_pooling": "mean",
      "global_attn_every_n_layers": 3, "hidden_size": 1024, "intermediate_size": 2624,
      "local_attention": 128, "max_position_embeddings": 8192, "num_attention_heads": 16,
      "num_hidden_layers": 28, "vocab_size": 50368, "norm_bias": false, "attention_bias":
      false, "mlp_bias": false})",
     395881728},
    {"openai/whisper-small",
     R"({"model_type": "whisper", "d_model": 768, "decoder_attention_heads": 12,
      "decoder_ffn_dim": 3072, "decoder_layers": 12, "encoder_attention_heads": 12,
      "encoder_ffn_dim": 3072, "encoder_layers": 12, "max_source_positions": 1500,
      "max_target_positions": 448, "num_hidden_layers": 12, "num_mel_bins": 80,
      "vocab_size": 51865})",
     241734912},
    {"openai/whisper-large-v3-turbo",
     R"({"model_type": "whisper", "d_model": 1280, "decoder_attention_heads": 20,
      "decoder_ffn_dim": 5120, "decoder_layers": 4, "encoder_attention_heads": 20,
      "encoder_ffn_dim": 5120, "encoder_layers": 32, "max_source_positions": 1500,
      "max_target_positions": 448, "num_hidden_layers": 32, "num_mel_bins": 128,
      "vocab_size": 51866})",
     808878080},
    {"XiaomiMiMo/MiMo-7B-Base",
     R"({"model_type": "mimo", "attention_bias": true, "head_dim": 128, "hidden_size": 4096,
      "intermediate_size": 11008, "max_position_embeddings": 32768, "num_attention_heads":
      32, "num_hidden_layers": 36, "num_key_value_heads": 8, "num_nextn_predict_layers":
      1, "vocab_size": 151680, "tie_word_embeddings": false, "predict": 1})",
     7833409536},
    {"inclusionAI/Ling-mini-2.0",
     R"({"model_type": "bailing_moe", "architectures": ["BailingMoeV2ForCausalLM"],
      "first_k_dense_replace": 1, "head_dim": 128, "hidden_size": 2048,
      "intermediate_size": 5120, "max_position_embeddings": 32768,
      "moe_intermediate_size": 512, "n_group": 8, "topk_group": 4, "norm_topk_prob": true,
      "num_attention_heads": 16, "num_experts": 256, "num_experts_per_tok": 8,
      "num_hidden_layers": 20, "num_key_value_heads": 4, "num_shared_experts": 1,
      "partial_rotary_factor": 0.5, "use_qk_norm": true, "use_qkv_bias": false,
      "use_bias": false, "tie_word_embeddings": false, "vocab_size": 157184,
      "num_nextn_predict_layers": 0})",
     16255643392},
    {"swiss-ai/Apertus-70B-2509",
     R"({"model_type": "apertus", "attention_bias": false, "hidden_size": 8192,
      "intermediate_size": 43008, "max_position_embeddings": 65536, "mlp_bias": false,
      "num_attention_heads": 64, "num_hidden_layers": 80, "num_key_value_heads": 8,
      "vocab_size": 131072, "tie_word_embeddings": false, "qk_norm": true, "post_norm":
      false})",
     70603153408},
    {"tiiuae/Falcon-H1-7B-Base",
     R"({"model_type": "falcon_h1", "attention_bias": false, "head_dim": 128, "hidden_size":
      3072, "intermediate_size": 12288, "mamba_chunk_size": 256, "mamba_conv_bias": true,
      "mamba_d_conv": 4, "mamba_d_head": 128, "mamba_d_ssm": 3072, "mamba_d_state": 256,
      "mamba_expand": 2, "mamba_n_groups": 1, "mamba_n_heads": 24,
      "mamba_norm_before_gate": false, "mamba_proj_bias": false, "mamba_rms_norm": false,
      "max_position_embeddings": 262144, "mlp_bias": false, "num_attention_heads": 12,
      "num_hidden_layers": 44, "num_key_value_heads": 2, "tie_word_embeddings": false,
      "vocab_size": 130048, "projectors_bias": false})",
     7585654784},
    {"tiiuae/Falcon-H1-34B-Base",
     R"({"model_type": "falcon_h1", "attention_bias": false, "head_dim": 128, "hidden_size":
      5120, "intermediate_size": 21504, "mamba_chunk_size": 128, "mamba_conv_bias": true,
      "mamba_d_conv": 4, "mamba_d_head": 128, "mamba_d_ssm": 4096, "mamba_d_state": 256,
      "mamba_expand": 2, "mamba_n_groups": 2, "mamba_n_heads": 32,
      "mamba_norm_before_gate": false, "mamba_proj_bias": false, "mamba_rms_norm": false,
      "max_position_embeddings": 262144, "mlp_bias": false, "num_attention_heads": 20,
      "num_hidden_layers": 72, "num_key_value_heads": 4, "tie_word_embeddings": false,
      "vocab_size": 261120})",
     33642516224},
    {"google/gemma-3-1b-it",
     R"({"model_type": "gemma3_text", "head_dim": 256, "hidden_size": 1152,
      "intermediate_size": 6912, "max_position_embeddings": 32768, "num_attention_heads":
      4, "num_hidden_layers": 26, "num_key_value_heads": 1, "sliding_window": 512,
      "sliding_window_pattern": 6, "vocab_size": 262144})",
     999885952},
    {"google/gemma-3-12b-it",
     R"({"model_type": "gemma3", "mm_tokens_per_image": 256, "text_config": {"hidden_size":
      3840, "intermediate_size": 15360, "model_type": "gemma3_text",
      "num_attention_heads": 16, "num_hidden_layers": 48, "num_key_value_heads": 8,
      "sliding_window": 1024}, "vision_config": {"hidden_size": 1152, "image_size": 896,
      "intermediate_size": 4304, "model_type": "siglip_vision_model",
      "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 14}})",
     12187325040, 896},
    {"google/gemma-3-27b-it",
     R"({"model_type": "gemma3", "architectures": ["Gemma3ForConditionalGeneration"],
      "mm_tokens_per_image": 256, "text_config": {"head_dim": 128, "hidden_size": 5376,
      "intermediate_size": 21504, "model_type": "gemma3_text", "num_attention_heads": 32,
      "num_hidden_layers": 62, "num_key_value_heads": 16, "sliding_window": 1024},
      "vision_config": {"hidden_size": 1152, "image_size": 896, "intermediate_size": 4304,
      "model_type": "siglip_vision_model", "num_attention_heads": 16, "num_hidden_layers":
      27, "patch_size": 14, "vision_use_head": false}})",
     27432406640, 896},
    {"OpenGVLab/InternVL3-8B",
     R"({"model_type": "internvl_chat", "downsample_ratio": 0.5, "llm_config":
      {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 3584,
      "intermediate_size": 18944, "max_position_embeddings": 32768, "num_attention_heads":
      28, "num_hidden_layers": 28, "num_key_value_heads": 4, "vocab_size": 151674,
      "tie_word_embeddings": false, "use_sliding_window": false}, "vision_config":
      {"model_type": "intern_vit_6b", "hidden_size": 1024, "image_size": 448,
      "intermediate_size": 4096, "num_attention_heads": 16, "num_hidden_layers": 24,
      "patch_size": 14, "norm_type": "layer_norm", "qkv_bias": true, "qk_normalization":
      false}})",
     7944373760, 448},
};

TEST(PublishedTotals, are_those_of_the_models_that_are_read) {
  for (const Totalled& model : totalled) {
    const double ours = model.image > 0 ? parameters_with_images(model.json, model.image)
                                        : parameters_of(model.json);
    EXPECT_NEAR(ours / model.total, 1, 0.001) << model.name << ": " << std::fixed << ours;
  }
}

}  // namespace
}  // namespace pipewright::test
