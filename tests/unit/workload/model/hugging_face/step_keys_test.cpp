#include <gtest/gtest.h>

#include "error_of.hpp"
#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

std::string step(const std::string& rest, int layers) {
  return R"({"model_type": "step3p5", "attention_other_setting": {"attention_type":
      "sliding_attention", "head_dim": 128, "num_attention_groups": 8, "num_attention_heads": 96,
      "true_head_dim": 128}, "head_dim": 128, "hidden_size": 4096, "intermediate_size": 11264,
      "max_position_embeddings": 262144, "moe_intermediate_size": 1280, "moe_num_experts": 288,
      "moe_top_k": 8, "num_attention_groups": 8, "num_attention_heads": 64, "share_expert_dim": 1280,
      "sliding_window": 512, "use_head_wise_attn_gate": true, "vocab_size": 128896,
      "num_hidden_layers": )" +
         std::to_string(layers) + ", " + rest + "}";
}

// stepfun-ai/Step-3.5-Flash: one block in four sees all tokens, by 64 heads in place of 96; three
// blocks have an MLP. Its card says 196 B, 11 B of them active. The last three types are those of
// modules that predict further tokens.
TEST(StepKeys, step_3_5_flash) {
  std::string types, routed;
  for (int block = 0; block < 48; ++block)
    types += std::string(block == 0 ? "" : ", ") +
             (block % 4 == 0 ? R"("full_attention")" : R"("sliding_attention")");
  for (int block = 3; block < 45; ++block)
    routed += (block == 3 ? "" : ",") + std::to_string(block);
  const std::string json =
      step(R"("layer_types": [)" + types + R"(], "moe_layers_enum": ")" + routed + "\"", 45);
  constexpr double h = 4096;
  const auto attention = [](double heads) {
    return attention_weights(h, heads, 8, 128) + 2 * 128 + h * heads;
  };
  EXPECT_DOUBLE_EQ(parameters_of(json),
                   12 * attention(64) + 33 * attention(96) + 3 * mlp_weights(h, 11264) +
                       42 * (expert_weights(h, 288, 1280) + mlp_weights(h, 1280)) + 90 * h +
                       2 * 128896 * h + h);
  EXPECT_NEAR(parameters_of(json), 196e9, 1e9);
  EXPECT_NEAR(count_parameters(hugging_face(json)).active, 11e9, 1e9);
  const TransformerShape shape = hugging_face(json).transformer;
  EXPECT_EQ(shape.attention.of(true).queries, 64);
  EXPECT_EQ(shape.attention.of(false).queries, 96);
  EXPECT_EQ(shape.reach(1, 8192), 512);
}

// stepfun-ai/step3, its text model: queries through a rank of 2048, which is normed, to 64 heads of
// 256, and one key and value for all; experts in blocks 4 to 59. Its card says 316 B for the text,
// 38 B of them active.
TEST(StepKeys, step_3_makes_queries_through_a_rank) {
  std::string routed;
  for (int block = 4; block < 60; ++block)
    routed += (block == 4 ? "" : ",") + std::to_string(block);
  const std::string json = R"({"model_type": "step3_vl", "text_config": {"model_type": "step3_text",
      "hidden_size": 7168, "intermediate_size": 18432, "num_attention_heads": 64,
      "num_attention_groups": 1, "num_hidden_layers": 61, "max_seq_len": 65536, "vocab_size":
      128815, "moe_intermediate_size": 5120, "moe_num_experts": 48, "moe_top_k": 3,
      "share_expert_dim": 5120, "share_q_dim": 2048, "head_dim": 256, "moe_layers_enum": ")" +
                           routed + R"("}, "vision_config": {"hidden_size": 1792}})";
  constexpr double h = 7168;
  const double attention = h * 2048 + 2048 + 2048 * 64 * 256 + h * 2 * 256 + 64 * 256 * h;
  const double experts = expert_weights(h, 48, 5120) + mlp_weights(h, 5120);
  EXPECT_DOUBLE_EQ(parameters_of(json), 61 * (attention + 2 * h) + 5 * mlp_weights(h, 18432) +
                                            56 * experts + 2 * 128815 * h + h);
  EXPECT_NEAR(parameters_of(json), 316e9, 1e9);
  EXPECT_NEAR(count_parameters(hugging_face(json)).active, 38e9, 1.5e9);
}

TEST(StepKeys, what_is_no_block_is_told) {
  const std::string types = R"("layer_types": ["full_attention", "sliding_attention"])";
  EXPECT_NE(error_of([&] {
              hugging_face(step(types + R"(, "moe_layers_enum": "1,2")", 2));
            }).find("'2' is no block of 2"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              hugging_face(step(types, 3));
            }).find("'layer_types' must be a list with one entry for each of 3 layers"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
