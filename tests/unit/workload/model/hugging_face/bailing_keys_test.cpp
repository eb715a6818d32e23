#include <gtest/gtest.h>

#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

// inclusionAI/Ring-mini-linear-2.0: the last of five blocks has attention, the others lightning
// attention with all 16 heads, norms of queries and keys, and one norm gain a number. Its card says
// 16.4 B.
TEST(BailingKeys, ring_mini_linear) {
  const char* json = R"({"model_type": "bailing_moe_linear", "first_k_dense_replace": 1,
      "group_norm_size": 4, "head_dim": 128, "hidden_size": 2048, "intermediate_size": 5120,
      "layer_group_size": 5, "linear_silu": false, "max_position_embeddings": 131072,
      "moe_intermediate_size": 512, "moe_shared_expert_intermediate_size": 512, "n_group": 8,
      "num_attention_heads": 16, "num_experts": 256, "num_experts_per_tok": 8,
      "num_hidden_layers": 20, "num_key_value_heads": 4, "num_shared_experts": 1,
      "topk_group": 4, "use_bias": false, "use_qk_norm": true, "use_qkv_bias": false,
      "tie_word_embeddings": false, "vocab_size": 157184})";
  constexpr double h = 2048, width = 16 * 128, norms = 2 * 128;
  const double linear = 4 * h * width + width + norms + width * h;
  const double attention = attention_weights(h, 16, 4, 128) + norms;
  const double routed = expert_weights(h, 256, 512) + mlp_weights(h, 512);
  EXPECT_DOUBLE_EQ(parameters_of(json), 16 * linear + 4 * attention + 19 * routed +
                                            mlp_weights(h, 5120) + 40 * h + 2 * 157184 * h + h);
  EXPECT_NEAR(parameters_of(json), 16.4e9, 0.05e9);
}

std::string ling(const std::string& rest) {
  return R"({"model_type": "bailing_hybrid", "first_k_dense_replace": 1, "head_dim": 16,
      "hidden_size": 64, "intermediate_size": 128, "kv_lora_rank": 32, "layer_group_size": 3,
      "moe_intermediate_size": 16, "num_attention_heads": 4, "num_experts": 8,
      "num_experts_per_tok": 2, "num_hidden_layers": 4, "num_key_value_heads": 4,
      "num_shared_experts": 1, "q_lora_rank": null, "qk_nope_head_dim": 16,
      "qk_rope_head_dim": 8, "v_head_dim": 16, "vocab_size": 100, )" +
         rest + "}";
}

// modeling_bailing_moe_v3.py: three products, three filters, a decay for every channel and a gate
// made directly, how much is written and A a head, the decay's bias, a norm as wide as a head.
TEST(BailingKeys, ling_3_has_decays_of_channels_and_gates_of_heads) {
  constexpr double h = 64, heads = 4, width = heads * 16;
  const double linear = 5 * h * width + h * heads + 3 * width * 4 + heads + width + 16 + width * h;
  const double latent =
      h * heads * 24 + h * (32 + 8) + 32 + 32 * heads * 32 + heads * 16 * h + h * heads;
  const double routed = expert_weights(h, 8, 16) + mlp_weights(h, 16);
  const std::string json = ling(R"("short_conv_kernel_size": 4, "no_kda_lora": true,
      "gated_attention_proj_granularity_type": "head_wise")");
  EXPECT_DOUBLE_EQ(parameters_of(json), 2 * linear + 2 * latent + mlp_weights(h, 128) + 3 * routed +
                                            8 * h + 2 * 100 * h + h);
  const std::string ranks = ling(R"("short_conv_kernel_size": 4, "no_kda_lora": false,
      "gated_attention_proj_granularity_type": "head_wise")");
  EXPECT_DOUBLE_EQ(parameters_of(ranks) - parameters_of(json),
                   2 * 2 * (h * 16 + 16 * width - h * width));
}

// Blocks behind the last whole group of three attend too.
TEST(BailingKeys, version_2_5_has_lightning_attention_beside_latent) {
  const TransformerShape shape = hugging_face(ling(R"("group_norm_size": 2)")).transformer;
  EXPECT_EQ(shape.mixer(0), Mixer::lightning);
  EXPECT_EQ(shape.mixer(2), Mixer::full);
  EXPECT_EQ(shape.mixer(3), Mixer::full);
  EXPECT_EQ(shape.kinds.lightning.norm_groups, 2);
}

}  // namespace
}  // namespace pipewright::test
