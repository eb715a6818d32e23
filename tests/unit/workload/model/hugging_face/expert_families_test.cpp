// Published configurations (config.json of the repository named), against the parameters that the
// repository's safetensors hold.
#include <gtest/gtest.h>

#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

constexpr Published expert_families[] = {
    {"databricks/dbrx-base",
     R"({"model_type": "dbrx", "d_model": 6144, "n_heads": 48, "n_layers": 40, "vocab_size":
      100352, "max_seq_len": 32768, "tie_word_embeddings": false, "attn_config": {"kv_n_heads":
      8}, "ffn_config": {"moe_num_experts": 16, "moe_top_k": 4, "ffn_hidden_size": 10752}})",
     131596523520},
    {"allenai/OLMoE-1B-7B-0924",
     R"({"model_type": "olmoe", "hidden_size": 2048, "num_hidden_layers": 16,
      "num_attention_heads": 16, "vocab_size": 50304, "intermediate_size": 1024,
      "num_key_value_heads": 16, "num_experts": 64, "num_experts_per_tok": 8,
      "tie_word_embeddings": false})",
     6919161856},
    {"microsoft/Phi-3.5-MoE-instruct",
     R"({"model_type": "phimoe", "hidden_size": 4096, "num_hidden_layers": 32,
      "num_attention_heads": 32, "vocab_size": 32064, "intermediate_size": 6400,
      "num_key_value_heads": 8, "num_local_experts": 16, "num_experts_per_tok": 2,
      "attention_bias": true, "lm_head_bias": true, "sliding_window": 131072,
      "tie_word_embeddings": false})",
     41873153344},
    {"rednote-hilab/dots.llm1.base",
     R"({"model_type": "dots1", "hidden_size": 4096, "num_hidden_layers": 62,
      "num_attention_heads": 32, "vocab_size": 152064, "intermediate_size": 10944,
      "num_key_value_heads": 32, "head_dim": 128, "moe_intermediate_size": 1408,
      "n_routed_experts": 128, "n_shared_experts": 2, "num_experts_per_tok": 6,
      "first_k_dense_replace": 1, "norm_topk_prob": true, "tie_word_embeddings": false,
      "sliding_window": null, "n_group": 1, "topk_group": 1, "moe_layer_freq": 1})",
     142774381696},
    {"baidu/ERNIE-4.5-21B-A3B-PT",
     R"({"model_type": "ernie4_5_moe", "hidden_size": 2560, "num_hidden_layers": 28,
      "num_attention_heads": 20, "vocab_size": 103424, "intermediate_size": 12288,
      "num_key_value_heads": 4, "head_dim": 128, "moe_num_experts": 64, "moe_k": 6,
      "moe_num_shared_experts": 2, "moe_intermediate_size": 1536, "moe_layer_start_index": 1,
      "moe_layer_interval": 1, "moe_layer_end_index": -1, "use_bias": false,
      "tie_word_embeddings": true})",
     21825437888},
    {"Qwen/Qwen2-57B-A14B",
     R"({"model_type": "qwen2_moe", "hidden_size": 3584, "num_hidden_layers": 28,
      "num_attention_heads": 28, "vocab_size": 151936, "intermediate_size": 18944,
      "num_key_value_heads": 4, "num_experts": 64, "num_experts_per_tok": 8,
      "moe_intermediate_size": 2560, "shared_expert_intermediate_size": 20480,
      "decoder_sparse_step": 1, "norm_topk_prob": false, "use_sliding_window": false,
      "sliding_window": 65536, "max_window_layers": 28, "tie_word_embeddings": false})",
     57409010688},
    {"moonshotai/Kimi-VL-A3B-Instruct, its text model",
     R"({"model_type": "kimi_vl", "text_config": {"model_type": "deepseek_v3", "hidden_size":
      2048, "intermediate_size": 11264, "moe_intermediate_size": 1408, "num_hidden_layers": 27,
      "num_attention_heads": 16, "num_key_value_heads": 16, "n_shared_experts": 2,
      "n_routed_experts": 64, "kv_lora_rank": 512, "q_lora_rank": null, "qk_rope_head_dim": 64,
      "v_head_dim": 128, "qk_nope_head_dim": 128, "num_experts_per_tok": 6, "moe_layer_freq": 1,
      "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1, "vocab_size": 163840,
      "max_position_embeddings": 131072, "tie_word_embeddings": false}, "vision_config":
      {"hidden_size": 1152}})",
     15960111936},
    {"Qwen/Qwen3-VL-30B-A3B-Instruct, whose text model is Qwen3-30B-A3B",
     R"({"model_type": "qwen3_vl_moe", "tie_word_embeddings": false, "text_config": {"model_type":
      "qwen3_vl_moe_text", "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads":
      32, "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 6144,
      "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8,
      "decoder_sparse_step": 1, "mlp_only_layers": [], "vocab_size": 151936,
      "max_position_embeddings": 262144}, "vision_config": {"depth": 27}})",
     30532122624},
    {"MiniMaxAI/MiniMax-M2",
     R"({"model_type": "minimax_m2", "hidden_size": 3072, "num_hidden_layers": 62,
      "num_attention_heads": 48, "vocab_size": 200064, "intermediate_size": 1536,
      "num_key_value_heads": 8, "head_dim": 128, "num_local_experts": 256,
      "num_experts_per_tok": 8, "use_qk_norm": true, "rotary_dim": 64,
      "shared_intermediate_size": 0, "tie_word_embeddings": false})",
     228689764864},
};

TEST(ExpertFamilies, each_has_the_parameters_that_were_published) {
  expect_published(expert_families);
}

}  // namespace
}  // namespace pipewright::test
