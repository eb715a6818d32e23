// Published configurations (config.json of the repository named), against the parameters that their
// modelling code has, added up by hand, and published totals where there are.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

/// Weights of a Mamba 2 layer: heads H of P numbers with N of state, G groups, four taps.
double mamba_weights(double h, double H, double P, double N, double G) {
  const double inner = H * P, convolved = inner + 2 * G * N;
  return h * (inner + convolved + H) + 5 * convolved + 3 * H + inner + inner * h;
}

// mistralai/Mamba-Codestral-7B-v0.1; its safetensors hold 7,285,403,648.
TEST(MixerKeys, mamba2) {
  const char* json = R"({"architectures": ["Mamba2ForCausalLM"], "model_type": "mamba2",
      "chunk_size": 256, "conv_kernel": 4, "expand": 2, "head_dim": 64, "hidden_size": 4096,
      "intermediate_size": 8192, "n_groups": 8, "num_heads": 128, "num_hidden_layers": 64,
      "residual_in_fp32": true, "rms_norm": true, "state_size": 128,
      "tie_word_embeddings": false, "time_step_limit": [0.0, "inf"], "use_bias": false,
      "use_conv_bias": true, "vocab_size": 32768})";
  EXPECT_DOUBLE_EQ(parameters_of(json), 7285403648);
  EXPECT_EQ(hugging_face(json).sequence, 2048);
}

// Mamba2Config's validate_architecture; 24 heads of 64 are twice 768.
TEST(MixerKeys, mamba2_s_heads_are_as_wide_as_it_expands) {
  const auto mamba = [](const std::string& heads) {
    return error_of([&] {
      hugging_face(R"({"model_type": "mamba2", "hidden_size": 768, "num_hidden_layers": 2,
          "expand": 2, "head_dim": 64, "state_size": 128, "n_groups": 1, "conv_kernel": 4,
          "chunk_size": 256, "vocab_size": 100, "num_heads": )" +
                   heads + "}");
    });
  };
  EXPECT_EQ(mamba("24"), "no error");
  EXPECT_NE(mamba("23").find("num_heads 23 x head_dim 64 must be expand x hidden_size 1536"),
            std::string::npos);
}

constexpr const char* nemotron_dimensions = R"("model_type": "nemotron_h",
      "attention_head_dim": 128, "chunk_size": 128, "conv_kernel": 4, "expand": 2,
      "hidden_dropout": 0.0, "hidden_size": 4096, "intermediate_size": 21504,
      "mamba_head_dim": 64, "mamba_num_heads": 128, "mamba_proj_bias": false,
      "max_position_embeddings": 8192, "mlp_hidden_act": "relu2", "n_groups": 8,
      "num_attention_heads": 32, "num_key_value_heads": 8,
      "ssm_state_size": 128, "tie_word_embeddings": false, "use_bias": false,
      "use_conv_bias": true, "vocab_size": 131072)";

std::string nemotron(const std::string& more) {
  return std::string("{") + nemotron_dimensions + ", " + more + "}";
}

// nvidia/Nemotron-H-8B-Base-8K: 24 Mamba 2 layers, 24 MLPs, 4 attention layers.
TEST(MixerKeys, nemotron_h) {
  const std::string json = nemotron(
      R"("hybrid_override_pattern": "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-")");
  constexpr double h = 4096;
  EXPECT_DOUBLE_EQ(parameters_of(json),
                   24 * (mamba_weights(h, 128, 64, 128, 8) + h) + 24 * (2 * h * 21504 + h) +
                       4 * (attention_weights(h, 32, 8, 128) + h) + 2 * 131072 * h + h);
  const TransformerShape shape = hugging_face(json).transformer;
  EXPECT_EQ(shape.layers, 52);
  EXPECT_EQ(shape.mixer(7), Mixer::full);
  EXPECT_EQ(shape.feed(7), Feed::none);
  EXPECT_EQ(shape.mixer(8), Mixer::none);
  EXPECT_EQ(shape.feed(8), Feed::dense);
}

TEST(MixerKeys, a_pattern_of_another_length_than_the_blocks_is_refused) {
  const std::string error = error_of([] {
    hugging_face(nemotron(R"("num_hidden_layers": 52, "hybrid_override_pattern": "M-M*-M")"));
  });
  EXPECT_NE(error.find("num_hidden_layers is 52, and the pattern has 6 blocks"), std::string::npos)
      << error;
}

TEST(MixerKeys, nemotron_s_experts_have_a_shared_one_of_its_own_width) {
  const TransformerShape shape =
      hugging_face(nemotron(R"("layers_block_type": ["mamba", "moe", "attention", "mlp"],
          "n_routed_experts": 8, "num_experts_per_tok": 2, "n_shared_experts": 1,
          "moe_intermediate_size": 1856, "moe_shared_expert_intermediate_size": 3712)"))
          .transformer;
  EXPECT_EQ(shape.layers, 4);
  EXPECT_EQ(shape.feed(1), Feed::experts);
  EXPECT_EQ(shape.experts->shared_width(), 3712);
}

TEST(MixerKeys, a_pattern_of_other_letters_is_told) {
  const std::string error =
      error_of([] { hugging_face(nemotron(R"("hybrid_override_pattern": "M-X")")); });
  EXPECT_NE(error.find("no layer type 'X' is known; a pattern is made of M (Mamba 2), * "
                       "(attention), - (MLP) and E (experts)"),
            std::string::npos)
      << error;
  EXPECT_NE(error_of([] {
              hugging_face(nemotron(R"("num_hidden_layers": 4)"));
            }).find("needs the key 'hybrid_override_pattern'"),
            std::string::npos);
}

// Experts of a width of their own: the two products around them are h l each, one expert 2 l f.
TEST(MixerKeys, nemotron_s_experts_may_have_a_latent_size) {
  const auto with = [](const std::string& more) {
    return parameters_of(
        nemotron(R"("layers_block_type": ["attention", "moe"], "n_routed_experts": 8,
        "num_experts_per_tok": 2, "moe_intermediate_size": 96)" +
                 more));
  };
  constexpr double h = 4096, l = 16, f = 96, count = 8;
  EXPECT_DOUBLE_EQ(with(R"(, "moe_latent_size": 16)") - with(""),
                   2 * h * l - count * 2 * f * (h - l));
}

// moonshotai/Kimi-K3, whose weights have these shapes; A has one number a head here and 128 there.
// In 69 of 93 blocks the gate is made directly, decays through a rank; attention has a gate; 896
// experts of 3,584 wide tokens stand between two products and a norm; every branch has two vectors
// more, and so has the end.
TEST(MixerKeys, kimi_k3) {
  std::string kda;
  for (int block = 1; block < 93; ++block)
    if (block % 4 != 0) kda += (block == 1 ? "" : ", ") + std::to_string(block);
  const std::string json = R"({"model_type": "kimi_k3", "text_config": {
      "model_type": "kimi_linear", "attn_res_block_size": 12, "first_k_dense_replace": 1,
      "hidden_act": "situ", "hidden_size": 7168, "intermediate_size": 33792, "kv_lora_rank": 512,
      "latent_moe_use_norm": true, "linear_attn_config": {"head_dim": 128, "num_heads": 96,
      "short_conv_kernel_size": 4, "use_full_rank_gate": true, "kda_layers": [)" +
                           kda + R"(]},
      "max_position_embeddings": 1048576, "mla_use_nope": true, "mla_use_output_gate": true,
      "moe_intermediate_size": 3072, "moe_layer_freq": 1, "num_attention_heads": 96,
      "num_expert_group": 1, "num_experts": 896, "num_experts_per_token": 16,
      "num_hidden_layers": 93, "num_key_value_heads": 96, "num_nextn_predict_layers": 0,
      "num_shared_experts": 2, "q_lora_rank": 1536, "qk_nope_head_dim": 128,
      "qk_rope_head_dim": 64, "routed_expert_hidden_size": 3584, "tie_word_embeddings": false,
      "topk_group": 1, "v_head_dim": 128, "vocab_size": 163840}})";
  constexpr double h = 7168, width = 96 * 128, l = 3584;
  const double delta =
      4 * width * h + 96 * h + 128 * h + 128 * width + 96 + width + 3 * width * 4 + 128 + width * h;
  const double latent =
      h * 1536 + 1536 + 1536 * 96 * 192 + h * 576 + 512 + 512 * 96 * 256 + 2 * width * h;
  const double routed = 896 * mlp_weights(l, 3072) + 896 * h + 2 * l * h + l + mlp_weights(h, 6144);
  EXPECT_DOUBLE_EQ(parameters_of(json), 69 * delta + 24 * latent + 92 * routed +
                                            mlp_weights(h, 33792) + 93 * 6 * h + 2 * 163840 * h +
                                            h + 2 * h);
}

// OLMo Hybrid as its class has it: 24 of 32 blocks have the gated delta rule with keys of 96 and
// values of 192, the others attention with norms of all heads together.
TEST(MixerKeys, olmo_hybrid) {
  const char* json = R"({"model_type": "olmo_hybrid", "tie_word_embeddings": false})";
  constexpr double h = 3840, heads = 30, keys = heads * 96, values = heads * 192;
  const double delta = h * (2 * keys + 2 * values) + h * 2 * heads + 4 * (2 * keys + values) +
                       2 * heads + 192 + values * h;
  const double attention = attention_weights(h, 30, 30, 128) + 2 * 30 * 128;
  EXPECT_DOUBLE_EQ(
      parameters_of(json),
      24 * delta + 8 * attention + 32 * (mlp_weights(h, 11008) + 2 * h) + 2 * 100352 * h + h);
}

/// Weights of Qwen3-Next's gated delta layer: 16 key heads and H value heads of 128.
double delta_weights(double h, double H) {
  const double keys = 16 * 128, values = H * 128;
  return h * (2 * keys + 2 * values) + h * 2 * H + 4 * (2 * keys + values) + 2 * H + 128 +
         values * h;
}

// Qwen/Qwen3-Next-80B-A3B-Instruct: without what predicts a second token 79.67 B of 80 B.
TEST(MixerKeys, qwen3_next) {
  const char* json = R"({"architectures": ["Qwen3NextForCausalLM"], "model_type": "qwen3_next",
      "attention_bias": false, "decoder_sparse_step": 1, "full_attention_interval": 4,
      "head_dim": 256, "hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 5120,
      "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_num_key_heads": 16,
      "linear_num_value_heads": 32, "linear_value_head_dim": 128,
      "max_position_embeddings": 262144, "mlp_only_layers": [], "moe_intermediate_size": 512,
      "num_attention_heads": 16, "num_experts": 512, "num_experts_per_tok": 10,
      "num_hidden_layers": 48, "num_key_value_heads": 2, "partial_rotary_factor": 0.25,
      "shared_expert_intermediate_size": 512, "tie_word_embeddings": false,
      "use_sliding_window": false, "vocab_size": 151936})";
  constexpr double h = 2048;
  const double feed = expert_weights(h, 512, 512) + mlp_weights(h, 512) + h + 2 * h;
  const double attention = attention_weights(h, 16, 2, 256, 2) + 2 * 256;
  EXPECT_DOUBLE_EQ(parameters_of(json),
                   48 * feed + 36 * delta_weights(h, 32) + 12 * attention + 2 * 151936 * h + h);
  EXPECT_EQ(hugging_face(json).transformer.mixer(2), Mixer::gated_delta);
  EXPECT_EQ(hugging_face(json).transformer.mixer(3), Mixer::full);
}

// Qwen/Qwen3.5-35B-A3B, as its class's defaults have it: the file may leave them out.
TEST(MixerKeys, qwen3_5_moe) {
  const char* json = R"({"architectures": ["Qwen3_5MoeForConditionalGeneration"],
      "model_type": "qwen3_5_moe", "text_config": {"model_type": "qwen3_5_moe_text",
          "hidden_size": 2048, "layer_types": ["linear_attention", "linear_attention",
              "linear_attention", "full_attention"],
          "moe_intermediate_size": 512, "num_attention_heads": 16, "num_experts": 256,
          "num_experts_per_tok": 8, "num_hidden_layers": 4, "num_key_value_heads": 2,
          "shared_expert_intermediate_size": 512, "vocab_size": 248320},
      "tie_word_embeddings": false, "vision_config": {"depth": 27}})";
  constexpr double h = 2048;
  const double feed = expert_weights(h, 256, 512) + mlp_weights(h, 512) + h + 2 * h;
  const double attention = attention_weights(h, 16, 2, 256, 2) + 2 * 256;
  EXPECT_DOUBLE_EQ(parameters_of(json),
                   4 * feed + 3 * delta_weights(h, 32) + attention + 2 * 248320 * h + h);
}

// moonshotai/Kimi-Linear-48B-A3B-Base; its safetensors hold 49,122,681,728, with a bias for each
// expert of a router, which balances and is not trained.
TEST(MixerKeys, kimi_linear) {
  const char* json = R"({"architectures": ["KimiLinearForCausalLM"], "model_type": "kimi_linear",
      "first_k_dense_replace": 1, "head_dim": 72, "hidden_size": 2304, "intermediate_size": 9216,
      "kv_lora_rank": 512, "linear_attn_config": {"full_attn_layers": [4, 8, 12, 16, 20, 24, 27],
          "head_dim": 128, "kda_layers": [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21,
              22, 23, 25, 26], "num_heads": 32, "short_conv_kernel_size": 4},
      "mla_use_nope": true, "model_max_length": 1048576, "moe_intermediate_size": 1024,
      "moe_layer_freq": 1, "num_attention_heads": 32, "num_expert_group": 1, "num_experts": 256,
      "num_experts_per_token": 8, "num_hidden_layers": 27, "num_key_value_heads": 32,
      "num_shared_experts": 1, "q_lora_rank": null, "qk_nope_head_dim": 128,
      "qk_rope_head_dim": 64, "tie_word_embeddings": false, "v_head_dim": 128,
      "vocab_size": 163840})";
  EXPECT_DOUBLE_EQ(parameters_of(json) + 26 * 256, 49122681728);
  const TransformerShape shape = hugging_face(json).transformer;
  EXPECT_EQ(shape.mixer(2), Mixer::gated_delta);
  EXPECT_EQ(shape.mixer(3), Mixer::full);
  EXPECT_EQ(shape.experts->active, 8);
}

// MiniMaxAI/MiniMax-M1-80k; its safetensors hold 456,089,655,296.
TEST(MixerKeys, minimax) {
  std::string list = "[0, 0, 0, 0, 0, 0, 0, 1";
  for (int eight = 1; eight < 10; ++eight) list += ", 0, 0, 0, 0, 0, 0, 0, 1";
  const std::string json =
      R"({"attn_type_list": )" + list +
      R"(], "architectures": ["MiniMaxM1ForCausalLM"], "model_type": "minimax_m1",
      "head_dim": 128, "hidden_size": 6144,
      "intermediate_size": 9216, "max_position_embeddings": 10240000,
      "num_attention_heads": 64, "num_experts_per_tok": 2, "num_hidden_layers": 80,
      "num_key_value_heads": 8, "num_local_experts": 32, "postnorm": true, "rotary_dim": 64,
      "shared_intermediate_size": 0, "sliding_window": null, "tie_word_embeddings": false,
      "vocab_size": 200064})";
  EXPECT_DOUBLE_EQ(parameters_of(json), 456089655296);
  EXPECT_EQ(hugging_face(json).transformer.mixer(6), Mixer::lightning);
  EXPECT_EQ(hugging_face(json).transformer.mixer(7), Mixer::full);
}

TEST(MixerKeys, minimax_needs_the_kinds_of_its_layers) {
  const std::string error = error_of([] {
    hugging_face(
        "{model_type: minimax_m1, hidden_size: 64, num_hidden_layers: 2, "
        "num_attention_heads: 4, vocab_size: 100, num_local_experts: 4}");
  });
  EXPECT_NE(error.find("model_type 'minimax_m1' needs the key 'attn_type_list'"), std::string::npos)
      << error;
}

}  // namespace
}  // namespace pipewright::test
