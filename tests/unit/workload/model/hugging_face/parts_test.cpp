#include <gtest/gtest.h>

#include "hugging_face.hpp"

namespace pipewright::test::parts {
namespace {

constexpr double h = 64, f = 128, V = 100;

double llama_with(const std::string& rest) {
  return parameters_of(R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 1,
      "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128,
      "vocab_size": 100)" +
                       rest + "}");
}

// LlamaAttention and LlamaMLP: attention_bias is of all four products, mlp_bias of all three.
TEST(Parts, biases_are_where_the_configuration_says) {
  const double plain = attention_weights(h, 4, 2, 16) + mlp_weights(h, f) + 2 * h + 2 * V * h + h;
  EXPECT_DOUBLE_EQ(llama_with(""), plain);
  EXPECT_DOUBLE_EQ(llama_with(R"(, "attention_bias": true)"), plain + h + 2 * 32 + h);
  EXPECT_DOUBLE_EQ(llama_with(R"(, "qkv_bias": true)"), plain + h + 2 * 32);
  EXPECT_DOUBLE_EQ(llama_with(R"(, "mlp_bias": true)"), plain + 2 * f + h);
  EXPECT_DOUBLE_EQ(llama_with(R"(, "attention_bias": true, "mlp_bias": true)"),
                   plain + h + 2 * 32 + h + 2 * f + h);
}

TEST(Parts, a_dimension_that_is_null_is_left_to_the_family) {
  EXPECT_DOUBLE_EQ(llama_with(R"(, "head_dim": null)"), llama_with(""));
}

// Qwen2Config: the window is that of layers from max_window_layers on.
TEST(Parts, a_window_is_that_of_later_blocks) {
  const auto qwen = [](const std::string& rest) {
    return hugging_face(R"({"model_type": "qwen2", "hidden_size": 64, "num_hidden_layers": 4,
        "num_attention_heads": 4, "vocab_size": 100, "sliding_window": 32, )" +
                        rest + "}")
        .transformer;
  };
  const TransformerShape later = qwen(R"("use_sliding_window": true, "max_window_layers": 2)");
  EXPECT_EQ(later.reach(1, 512), 512);
  EXPECT_EQ(later.reach(2, 512), 32);
  EXPECT_EQ(qwen(R"("use_sliding_window": false, "max_window_layers": 2)").reach(3, 512), 512);
}

}  // namespace
}  // namespace pipewright::test::parts
