#include <gtest/gtest.h>

#include "error_of.hpp"
#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

std::string laguna(const std::string& more) {
  return R"({"model_type": "laguna", "hidden_size": 64, "intermediate_size": 128, "head_dim": 16,
      "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "num_experts": 8,
      "num_experts_per_tok": 2, "moe_intermediate_size": 16, "shared_expert_intermediate_size": 32,
      "sliding_window": 8, "vocab_size": 100, "layer_types": ["full_attention",
      "sliding_attention", "sliding_attention", "sliding_attention"], )" +
         more + "}";
}

// One block sees all by 4 heads, the others see a window by 6; each head has a gate of one number.
// The first block has an MLP, and the shared expert of the others no gate.
TEST(LagunaKeys, layers_with_a_window_have_heads_of_their_own) {
  constexpr double h = 64, d = 16;
  const auto attention = [](double heads) {
    return attention_weights(h, heads, 2, d) + 2 * d + h * heads;
  };
  const double routed = expert_weights(h, 8, 16) + mlp_weights(h, 32);
  const double outside = 2 * 100 * h + h + 8 * h;
  EXPECT_DOUBLE_EQ(parameters_of(laguna(R"("num_attention_heads_per_layer": [4, 6, 6, 6])")),
                   attention(4) + 3 * attention(6) + mlp_weights(h, 128) + 3 * routed + outside);
  EXPECT_DOUBLE_EQ(parameters_of(laguna(R"("gating": false)")),
                   4 * (attention(4) - 4 * h) + mlp_weights(h, 128) + 3 * routed + outside);
}

TEST(LagunaKeys, heads_that_differ_within_a_type_are_told) {
  EXPECT_NE(error_of([] {
              hugging_face(laguna(R"("num_attention_heads_per_layer": [4, 6, 6, 8])"));
            }).find("layers of one type must have as many heads: 8 here and 6 before"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
