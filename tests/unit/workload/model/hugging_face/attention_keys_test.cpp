// Published configurations (config.json of the repository named), against the parameters that their
// modelling code has, added up by hand, and published totals where there are.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

// microsoft/Phi-3-mini-4k-instruct; its safetensors hold 3,821,079,552.
TEST(AttentionKeys, phi3) {
  const char* json = R"({"model_type": "phi3", "attention_bias": false, "hidden_act": "silu",
      "hidden_size": 3072, "intermediate_size": 8192, "max_position_embeddings": 4096,
      "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32,
      "resid_pdrop": 0.0, "rope_scaling": null, "sliding_window": 2047,
      "tie_word_embeddings": false, "vocab_size": 32064})";
  EXPECT_DOUBLE_EQ(parameters_of(json), 3821079552);
  EXPECT_EQ(hugging_face(json).transformer.reach(5, 4096), 2047);
}

// Qwen2Config and Qwen3Config forget the window then, and transformers ends in
// create_sliding_window_causal_mask.
TEST(AttentionKeys, layers_that_slide_without_a_window_are_refused) {
  for (const char* type : {"qwen2", "qwen3"}) {
    const std::string json = std::string(R"({"model_type": ")") + type +
                             R"(", "hidden_size": 1024, "intermediate_size": 3072,
        "num_attention_heads": 16, "num_hidden_layers": 2, "num_key_value_heads": 8,
        "vocab_size": 151936, "use_sliding_window": false, "sliding_window": 4096,
        "layer_types": ["full_attention", "sliding_attention"]})";
    EXPECT_NE(error_of([&] { hugging_face(json); }).find("must be full_attention"),
              std::string::npos)
        << type;
  }
}

// google/gemma-2-9b; its safetensors hold 9,241,705,984.
TEST(AttentionKeys, gemma2) {
  const char* json = R"({"model_type": "gemma2", "attention_bias": false,
      "attn_logit_softcapping": 50.0, "cache_implementation": "hybrid",
      "final_logit_softcapping": 30.0, "head_dim": 256, "hidden_activation": "gelu_pytorch_tanh",
      "hidden_size": 3584, "intermediate_size": 14336, "max_position_embeddings": 8192,
      "num_attention_heads": 16, "num_hidden_layers": 42, "num_key_value_heads": 8,
      "query_pre_attn_scalar": 256, "sliding_window": 4096, "vocab_size": 256000})";
  EXPECT_DOUBLE_EQ(parameters_of(json), 9241705984);
  const TransformerShape shape = hugging_face(json).transformer;
  EXPECT_EQ(shape.mixer(0), Mixer::sliding);
  EXPECT_EQ(shape.mixer(1), Mixer::full);
  EXPECT_TRUE(shape.attention.soft_cap && shape.ends.soft_cap && shape.ends.tied);
}

// google/gemma-3-4b-pt, whose text_config leaves out what is its class's default; the text model of
// arXiv 2503.19786, Table 1, has 675 M of embeddings and 3,209 M beside them.
TEST(AttentionKeys, gemma3) {
  const char* json = R"({"architectures": ["Gemma3ForConditionalGeneration"],
      "model_type": "gemma3", "mm_tokens_per_image": 256, "image_token_index": 262144,
      "text_config": {"hidden_size": 2560, "intermediate_size": 10240,
          "model_type": "gemma3_text", "num_hidden_layers": 34,
          "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024},
      "vision_config": {"hidden_size": 1152, "model_type": "siglip_vision_model"}})";
  constexpr double h = 2560;
  const double block = attention_weights(h, 8, 4, 256) + mlp_weights(h, 10240) + 4 * h + 2 * 256;
  EXPECT_DOUBLE_EQ(parameters_of(json), 34 * block + 262208 * h + h);
  EXPECT_NEAR(parameters_of(json) / (675e6 + 3209e6), 1, 0.001);
  const Model model = hugging_face(json);
  EXPECT_EQ(model.transformer.mixer(4), Mixer::sliding);
  EXPECT_EQ(model.transformer.mixer(5), Mixer::full);
  EXPECT_TRUE(model.transformer.vision && model.left_out.empty());
}

/// Weights of a block of Gemma 4 with a heads and k of keys, each d wide, of which `made` are made
/// for every head of keys: 2, or 1 where values are keys.
double gemma4_block(double h, double a, double k, double d, double made, double f) {
  return h * d * (a + made * k) + a * d * h + 2 * d + mlp_weights(h, f) + 4 * h;
}

// google/gemma-4-31B-it: one block in six sees all tokens, with heads of 512 whose values are keys
// (transformers, models/gemma4/modular_gemma4.py).
TEST(AttentionKeys, gemma4) {
  const char* json = R"({"model_type": "gemma4", "text_config": {"attention_k_eq_v": true,
      "enable_moe_block": false, "final_logit_softcapping": 30.0, "global_head_dim": 512,
      "head_dim": 256, "hidden_size": 5376, "hidden_size_per_layer_input": 0,
      "intermediate_size": 21504, "max_position_embeddings": 262144,
      "model_type": "gemma4_text", "num_attention_heads": 32, "num_experts": null,
      "num_global_key_value_heads": 4, "num_hidden_layers": 60, "num_key_value_heads": 16,
      "num_kv_shared_layers": 0, "sliding_window": 1024, "tie_word_embeddings": true,
      "vocab_size": 262144}})";
  constexpr double h = 5376, f = 21504;
  EXPECT_DOUBLE_EQ(parameters_of(json), 50 * gemma4_block(h, 32, 16, 256, 2, f) +
                                            10 * gemma4_block(h, 32, 4, 512, 1, f) + 262144 * h +
                                            h);
  const TransformerShape shape = hugging_face(json).transformer;
  EXPECT_EQ(shape.reach(4, 4096), 1024);
  EXPECT_EQ(shape.reach(5, 4096), 4096);
  EXPECT_TRUE(shape.ends.soft_cap);
}

// google/gemma-4-26B-A4B: 128 experts stand beside the MLP. Its router has a scale for each expert
// and number of a token and the two branches three norms more, which are left out.
TEST(AttentionKeys, gemma4_has_experts_beside_its_mlp) {
  const char* json = R"({"model_type": "gemma4", "text_config": {"attention_k_eq_v": true,
      "enable_moe_block": true, "global_head_dim": 512, "head_dim": 256, "hidden_size": 2816,
      "hidden_size_per_layer_input": 0, "intermediate_size": 2112, "model_type": "gemma4_text",
      "moe_intermediate_size": 704, "num_attention_heads": 16, "num_experts": 128,
      "num_global_key_value_heads": 2, "num_hidden_layers": 30, "num_key_value_heads": 8,
      "sliding_window": 1024, "top_k_experts": 8, "vocab_size": 262144}})";
  constexpr double h = 2816, f = 2112;
  const double experts = 30 * expert_weights(h, 128, 704);
  const double left_out = 30 * (3 * h + h + 128);
  const double whole = 25 * gemma4_block(h, 16, 8, 256, 2, f) +
                       5 * gemma4_block(h, 16, 2, 512, 1, f) + experts + 262144 * h + h;
  EXPECT_DOUBLE_EQ(parameters_of(json), whole);
  EXPECT_LT(left_out / whole, 1e-4);
  EXPECT_EQ(hugging_face(json).transformer.experts->active, 8);
}

// Where a file does not say it, the class has embeddings of 256 numbers for every block.
TEST(AttentionKeys, gemma4_has_embeddings_for_every_block) {
  const auto inputs = [](const std::string& more) {
    return hugging_face(R"({"model_type": "gemma4", "text_config": {"model_type": "gemma4_text",
        "hidden_size": 1536)" +
                        more + "}}")
        .transformer.inputs;
  };
  EXPECT_EQ(inputs("").width, 256);
  EXPECT_EQ(inputs("").vocabulary, 262144);
  EXPECT_EQ(inputs(", \"hidden_size_per_layer_input\": 0").width, 0);
}

// zai-org/GLM-5.2 has an indexer in 21 of its 78 blocks; here one of three has one. A block without
// has what makes its queries of the low rank, keys and weights no more.
TEST(AttentionKeys, glm_shares_the_choice_of_an_indexer) {
  const auto with = [](const std::string& types) {
    return parameters_of(R"({"model_type": "glm_moe_dsa", "hidden_size": 64,
        "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 100,
        "intermediate_size": 128, "n_routed_experts": 4, "num_experts_per_tok": 1,
        "moe_intermediate_size": 32, "kv_lora_rank": 16, "q_lora_rank": 32,
        "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8, "index_n_heads": 2,
        "index_head_dim": 8, "index_topk": 16)" +
                         types + "}");
  };
  constexpr double h = 64, q = 32, heads = 2, d = 8;
  EXPECT_DOUBLE_EQ(with("") - with(R"(, "indexer_types": ["full", "shared", "shared"])"),
                   2 * (q * heads * d + h * (d + heads) + 2 * d));
}

// XiaomiMiMo/MiMo-V2-Flash: 4 heads of keys where a block sees all tokens, 8 where it has a window,
// each 192 wide, values 128; the repository says 309 B.
TEST(AttentionKeys, mimo_v2_flash) {
  std::string pattern = "0", routes = "0";
  for (int block = 1; block < 48; ++block) {
    pattern += block == 5 || block % 6 == 5 ? ", 0" : ", 1";
    routes += ", 1";
  }
  const std::string json = R"({"model_type": "mimo_v2_flash", "num_hidden_layers": 48,
      "hidden_size": 4096, "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 192,
      "v_head_dim": 128, "intermediate_size": 16384, "vocab_size": 152576,
      "sliding_window": 128, "swa_num_attention_heads": 64, "swa_num_key_value_heads": 8,
      "swa_head_dim": 192, "swa_v_head_dim": 128, "moe_intermediate_size": 2048,
      "n_routed_experts": 256, "n_shared_experts": null, "num_experts_per_tok": 8,
      "n_group": 1, "topk_group": 1, "add_swa_attention_sink_bias": true,
      "tie_word_embeddings": false, "hybrid_layer_pattern": [)" +
                           pattern + R"(], "moe_layer_freq": [)" + routes + "]}";
  constexpr double h = 4096;
  const auto attention = [](double k) { return h * (64 * 192 + k * (192 + 128)) + 64 * 128 * h; };
  const double full = 9 * attention(4), sliding = 39 * attention(8), sinks = 48 * 64;
  const double feeds = 47 * expert_weights(h, 256, 2048) + mlp_weights(h, 16384);
  EXPECT_DOUBLE_EQ(parameters_of(json),
                   full + sliding + sinks + feeds + 48 * 2 * h + 2 * 152576 * h + h);
  EXPECT_NEAR(parameters_of(json), 309e9, 1e9);
}

// CohereLabs/c4ai-command-r7b-12-2024. Our layer norms have a bias too, which its own have not.
TEST(AttentionKeys, cohere2) {
  const char* json = R"({"model_type": "cohere2", "attention_bias": false, "head_dim": 128,
      "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 14336,
      "layer_switch": 4, "logit_scale": 0.25, "max_position_embeddings": 8192,
      "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
      "sliding_window": 4096, "sliding_window_pattern": 4, "vocab_size": 256000})";
  constexpr double h = 4096;
  const double block = attention_weights(h, 32, 8, 128) + mlp_weights(h, 14336) + h;
  EXPECT_DOUBLE_EQ(parameters_of(json), 32 * block + 256000 * h + h + 33 * h);
  const TransformerShape shape = hugging_face(json).transformer;
  EXPECT_EQ(shape.form, BlockForm::parallel);
  EXPECT_EQ(shape.mixer(3), Mixer::full);
  EXPECT_TRUE(shape.attention.local_positions);
}

// ibm-granite/granite-3.1-3b-a800m-base.
TEST(AttentionKeys, granitemoe) {
  const char* json = R"({"model_type": "granitemoe", "attention_bias": false,
      "attention_multiplier": 0.015625, "embedding_multiplier": 12.0, "hidden_act": "silu",
      "hidden_size": 1536, "intermediate_size": 512, "logits_scaling": 6.0,
      "max_position_embeddings": 131072, "num_attention_heads": 24, "num_experts_per_tok": 8,
      "num_hidden_layers": 32, "num_key_value_heads": 8, "num_local_experts": 40,
      "residual_multiplier": 0.22, "tie_word_embeddings": true, "vocab_size": 49155})";
  constexpr double h = 1536;
  EXPECT_DOUBLE_EQ(
      parameters_of(json),
      32 * (attention_weights(h, 24, 8, 64) + expert_weights(h, 40, 512) + 2 * h) + 49155 * h + h);
}

// openai/gpt-oss-20b; 20.91 B (arXiv 2508.10925, Table 1).
TEST(AttentionKeys, gpt_oss) {
  const char* json = R"({"architectures": ["GptOssForCausalLM"], "model_type": "gpt_oss",
      "attention_bias": true, "experts_per_token": 4, "head_dim": 64, "hidden_act": "silu",
      "hidden_size": 2880, "initial_context_length": 4096, "intermediate_size": 2880,
      "layer_types": ["sliding_attention", "full_attention", "sliding_attention",
          "full_attention", "sliding_attention", "full_attention", "sliding_attention",
          "full_attention", "sliding_attention", "full_attention", "sliding_attention",
          "full_attention", "sliding_attention", "full_attention", "sliding_attention",
          "full_attention", "sliding_attention", "full_attention", "sliding_attention",
          "full_attention", "sliding_attention", "full_attention", "sliding_attention",
          "full_attention"],
      "max_position_embeddings": 131072, "num_attention_heads": 64, "num_experts_per_tok": 4,
      "num_hidden_layers": 24, "num_key_value_heads": 8, "num_local_experts": 32,
      "sliding_window": 128, "swiglu_limit": 7.0, "tie_word_embeddings": false,
      "vocab_size": 201088})";
  constexpr double h = 2880;
  const double attention = attention_weights(h, 64, 8, 64) + 64 * (64 + 2 * 8) + h + 64;
  const double experts = expert_weights(h, 32, h) + 32 * (2 * h + h) + 32;
  EXPECT_DOUBLE_EQ(parameters_of(json), 24 * (attention + experts + 2 * h) + 2 * 201088 * h + h);
  EXPECT_NEAR(parameters_of(json) / 20.91e9, 1, 0.001);
  EXPECT_EQ(hugging_face(json).transformer.reach(0, 4096), 128);
  EXPECT_EQ(hugging_face(json).transformer.experts->active, 4);
}

// allenai/OLMo-2-1124-7B; its safetensors hold 7,298,617,344.
TEST(AttentionKeys, olmo2) {
  const char* json = R"({"model_type": "olmo2", "attention_bias": false, "hidden_act": "silu",
      "hidden_size": 4096, "intermediate_size": 11008, "max_position_embeddings": 4096,
      "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32,
      "tie_word_embeddings": false, "vocab_size": 100352})";
  EXPECT_DOUBLE_EQ(parameters_of(json), 7298617344);
  EXPECT_EQ(hugging_face(json).transformer.form, BlockForm::after);
}

// zai-org/GLM-4.5.
TEST(AttentionKeys, glm4_moe) {
  const char* json = R"({"model_type": "glm4_moe", "attention_bias": true, "head_dim": 128,
      "hidden_act": "silu", "hidden_size": 5120, "partial_rotary_factor": 0.5,
      "intermediate_size": 12288, "max_position_embeddings": 131072,
      "moe_intermediate_size": 1536, "n_group": 1, "topk_group": 1, "n_routed_experts": 160,
      "n_shared_experts": 1, "num_attention_heads": 96, "num_experts_per_tok": 8,
      "first_k_dense_replace": 3, "num_hidden_layers": 92, "num_key_value_heads": 8,
      "num_nextn_predict_layers": 1, "tie_word_embeddings": false, "use_qk_norm": true,
      "vocab_size": 151552})";
  constexpr double h = 5120;
  const double attention = attention_weights(h, 96, 8, 128) + (96 + 2 * 8) * 128 + 2 * 128;
  const double experts = expert_weights(h, 160, 1536) + mlp_weights(h, 1536);
  EXPECT_DOUBLE_EQ(parameters_of(json), 92 * (attention + 2 * h) + 3 * mlp_weights(h, 12288) +
                                            89 * experts + 2 * 151552 * h + h);
  EXPECT_NE(hugging_face(json).left_out.find("predict"), std::string::npos);
}

constexpr double latent_weights(double h, double heads) {
  return h * 1536 + 1536 + 1536 * heads * 192 + h * (512 + 64) + 512 + 512 * heads * 256 +
         heads * 128 * h;
}

// moonshotai/Kimi-K2-Base.
TEST(AttentionKeys, kimi_k2) {
  const char* json = R"({"model_type": "kimi_k2", "first_k_dense_replace": 1, "hidden_size": 7168,
      "intermediate_size": 18432, "kv_lora_rank": 512, "max_position_embeddings": 131072,
      "moe_intermediate_size": 2048, "moe_layer_freq": 1, "n_group": 1, "n_routed_experts": 384,
      "n_shared_experts": 1, "num_attention_heads": 64, "num_experts_per_tok": 8,
      "num_hidden_layers": 61, "num_key_value_heads": 64, "num_nextn_predict_layers": 0,
      "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
      "tie_word_embeddings": false, "topk_group": 1, "v_head_dim": 128, "vocab_size": 163840})";
  constexpr double h = 7168;
  const double experts = expert_weights(h, 384, 2048) + mlp_weights(h, 2048);
  EXPECT_DOUBLE_EQ(parameters_of(json), 61 * (latent_weights(h, 64) + 2 * h) +
                                            mlp_weights(h, 18432) + 60 * experts + 2 * 163840 * h +
                                            h);
}

// deepseek-ai/DeepSeek-V3.2-Exp: V3, whose 671 B it shares (arXiv 2412.19437), with an indexer a
// layer.
TEST(AttentionKeys, deepseek_v32) {
  const char* json = R"({"model_type": "deepseek_v32", "first_k_dense_replace": 3,
      "hidden_size": 7168, "index_head_dim": 128, "index_n_heads": 64, "index_topk": 2048,
      "intermediate_size": 18432, "kv_lora_rank": 512, "max_position_embeddings": 163840,
      "moe_intermediate_size": 2048, "moe_layer_freq": 1, "n_group": 8, "n_routed_experts": 256,
      "n_shared_experts": 1, "num_attention_heads": 128, "num_experts_per_tok": 8,
      "num_hidden_layers": 61, "num_key_value_heads": 128, "num_nextn_predict_layers": 1,
      "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
      "tie_word_embeddings": false, "topk_group": 4, "v_head_dim": 128, "vocab_size": 129280})";
  constexpr double h = 7168;
  const double experts = expert_weights(h, 256, 2048) + mlp_weights(h, 2048);
  const double v3 = 61 * (latent_weights(h, 128) + 2 * h) + 3 * mlp_weights(h, 18432) +
                    58 * experts + 2 * 129280 * h + h;
  const double indexer = 1536 * 64 * 128 + h * (128 + 64) + 2 * 128;
  EXPECT_NEAR(v3 / 671e9, 1, 0.001);
  EXPECT_DOUBLE_EQ(parameters_of(json), v3 + 61 * indexer);
  EXPECT_EQ(hugging_face(json).transformer.reach(0, 4096), 2048);
}

// meta-llama/Llama-4-Scout-17B-16E, whose text model this is: 107.77 B of 109 B in all.
std::string llama4(const std::string& more) {
  return R"({"architectures": ["Llama4ForConditionalGeneration"], "model_type": "llama4",
      "text_config": {"attention_bias": false, "attention_chunk_size": 8192, "head_dim": 128,
          "hidden_size": 5120, "intermediate_size": 8192, "intermediate_size_mlp": 16384,
          "max_position_embeddings": 262144, "model_type": "llama4_text",
          "num_attention_heads": 40, "num_experts_per_tok": 1, "num_hidden_layers": 48,
          "num_key_value_heads": 8, "vocab_size": 202048, )" +
         more + R"(}, "tie_word_embeddings": false, "vision_config": {"hidden_size": 1408}})";
}

TEST(AttentionKeys, llama4) {
  constexpr double h = 5120, V = 202048;
  const double block = attention_weights(h, 40, 8, 128) + 2 * h;
  const std::string scout =
      llama4("\"interleave_moe_layer_step\": 1, \"num_local_experts\": 16, \"use_qk_norm\": true");
  const std::string maverick = llama4(
      "\"interleave_moe_layer_step\": 2, \"num_local_experts\": 128, \"use_qk_norm\": false");
  EXPECT_DOUBLE_EQ(
      parameters_of(scout),
      48 * (block + expert_weights(h, 16, 8192) + mlp_weights(h, 8192)) + 2 * V * h + h);
  EXPECT_DOUBLE_EQ(parameters_of(maverick),
                   48 * block + 24 * (expert_weights(h, 128, 8192) + mlp_weights(h, 8192)) +
                       24 * mlp_weights(h, 16384) + 2 * V * h + h);
  const TransformerShape shape = hugging_face(maverick).transformer;
  EXPECT_EQ(shape.mixer(2), Mixer::chunked);
  EXPECT_EQ(shape.mixer(3), Mixer::full);
  EXPECT_EQ(shape.feed(0), Feed::dense);
  EXPECT_EQ(shape.feed(1), Feed::experts);
  EXPECT_EQ(shape.attention.norm, HeadNorm::none);
  const std::string listed = llama4("\"moe_layers\": [0, 5], \"num_local_experts\": 128");
  EXPECT_EQ(hugging_face(listed).transformer.feed(0), Feed::experts);
  EXPECT_EQ(hugging_face(listed).transformer.feed(1), Feed::dense);
}

// tencent/Hunyuan-A13B-Instruct, which lists a number for each layer.
TEST(AttentionKeys, hunyuan) {
  const char* json = R"({"model_type": "hunyuan_v1_moe", "attention_bias": false,
      "attention_head_dim": 128, "head_dim": 128, "hidden_act": "silu", "hidden_size": 4096,
      "intermediate_size": 3072, "max_position_embeddings": 32768,
      "moe_intermediate_size": [3072, 3072, 3072, 3072], "moe_topk": [8, 8, 8, 8],
      "num_attention_heads": 32, "num_experts": 64, "num_hidden_layers": 4,
      "num_key_value_heads": 8, "num_shared_expert": [1, 1, 1, 1], "tie_word_embeddings": true,
      "use_cla": false, "use_mixed_mlp_moe": true, "use_qk_norm": true, "vocab_size": 128167})";
  constexpr double h = 4096;
  const double block = attention_weights(h, 32, 8, 128) + 2 * 128 + 2 * h +
                       expert_weights(h, 64, 3072) + mlp_weights(h, 3072);
  EXPECT_DOUBLE_EQ(parameters_of(json), 4 * block + 128167 * h + h);
  EXPECT_EQ(hugging_face(json).transformer.experts->active, 8);
}

TEST(AttentionKeys, qwen_has_norms_or_biases_of_its_heads) {
  const auto attention = [](const char* type) {
    const std::string text = R"({"hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 100,
        "num_attention_heads": 4, "model_type": ")";
    return hugging_face(text + type + "\"}").transformer.attention;
  };
  EXPECT_EQ(attention("qwen2").bias, AttentionBias::inputs);
  EXPECT_EQ(attention("qwen3").norm, HeadNorm::head);
  EXPECT_TRUE(attention("llama").is_plain());
}

TEST(AttentionKeys, a_router_without_its_count_is_told) {
  EXPECT_EQ(error_of([] {
              hugging_face(
                  "{model_type: gpt_oss, hidden_size: 64, num_hidden_layers: 2, "
                  "num_attention_heads: 4, vocab_size: 100}");
            }),
            "config.json:1:1: error: model_type 'gpt_oss' needs the key 'num_local_experts'");
}

TEST(AttentionKeys, attention_that_layers_share_is_refused) {
  EXPECT_EQ(error_of([] {
              hugging_face(
                  "{model_type: hunyuan_v1_moe, hidden_size: 64, num_hidden_layers: 2, "
                  "num_attention_heads: 4, vocab_size: 100, num_experts: 4, use_cla: "
                  "true}");
            }),
            "config.json:1:135: error: attention that layers share (use_cla) is not modelled");
}

}  // namespace
}  // namespace pipewright::test
