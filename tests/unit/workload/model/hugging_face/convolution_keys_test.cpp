// Published configurations (config.json of the repository named) against the parameters that their
// repositories' safetensors hold.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

constexpr Published lfm2[] = {
    {"LiquidAI/LFM2-1.2B",
     R"({"model_type": "lfm2", "block_auto_adjust_ff_dim": true, "block_dim": 2048,
      "block_ff_dim": 12288, "block_ffn_dim_multiplier": 1.0, "block_multiple_of": 256,
      "conv_L_cache": 3, "conv_bias": false, "conv_dim": 2048,
      "full_attn_idxs": [2, 5, 8, 10, 12, 14], "hidden_size": 2048,
      "max_position_embeddings": 128000, "num_attention_heads": 32, "num_heads": 32,
      "num_hidden_layers": 16, "num_key_value_heads": 8, "vocab_size": 65536})",
     1170340608},
    {"LiquidAI/LFM2-8B-A1B",
     R"({"model_type": "lfm2_moe", "conv_L_cache": 3, "conv_bias": false, "hidden_size": 2048,
      "intermediate_size": 7168, "layer_types": ["conv", "conv", "full_attention", "conv", "conv",
      "conv", "full_attention", "conv", "conv", "conv", "full_attention", "conv", "conv", "conv",
      "full_attention", "conv", "conv", "conv", "full_attention", "conv", "conv",
      "full_attention", "conv", "conv"], "max_position_embeddings": 128000,
      "moe_intermediate_size": 1792, "num_attention_heads": 32, "num_dense_layers": 2,
      "num_experts": 32, "num_experts_per_tok": 4, "num_hidden_layers": 24,
      "num_key_value_heads": 8, "use_expert_bias": true, "vocab_size": 65536})",
     8339929856},
};

TEST(ConvolutionKeys, models_have_their_published_parameters) {
  for (const Published& model : lfm2)
    EXPECT_DOUBLE_EQ(parameters_of(model.json), model.parameters) << model.name;
}

std::string small_lfm2(const std::string& rest) {
  return R"({"model_type": "lfm2", "hidden_size": 64, "num_hidden_layers": 3,
      "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100, )" +
         rest + "}";
}

// Lfm2Config: two thirds of the width that is said, times a factor, up to a multiple; as it is said
// where block_auto_adjust_ff_dim is false.
TEST(ConvolutionKeys, the_width_of_the_mlp_is_adjusted) {
  EXPECT_EQ(hugging_face(small_lfm2(R"("intermediate_size": 1000, "block_multiple_of": 100)"))
                .transformer.ffn,
            700);
  EXPECT_EQ(hugging_face(small_lfm2(R"("intermediate_size": 1000, "block_multiple_of": 100,
                               "block_ffn_dim_multiplier": 0.5)"))
                .transformer.ffn,
            400);
  EXPECT_EQ(
      hugging_face(small_lfm2(R"("intermediate_size": 1000, "block_auto_adjust_ff_dim": false)"))
          .transformer.ffn,
      1000);
}

TEST(ConvolutionKeys, blocks_that_attend_are_listed) {
  const TransformerShape shape =
      hugging_face(small_lfm2(R"("full_attn_idxs": [1], "conv_L_cache": 4, "conv_bias": true)"))
          .transformer;
  EXPECT_EQ(shape.mixer(0), Mixer::short_convolution);
  EXPECT_EQ(shape.mixer(1), Mixer::full);
  EXPECT_EQ(shape.kinds.short_convolution.taps, 4);
  EXPECT_TRUE(shape.kinds.short_convolution.bias);
}

TEST(ConvolutionKeys, another_type_or_number_of_layers_is_told) {
  EXPECT_NE(error_of([] {
              hugging_face(small_lfm2(R"("layer_types": ["conv", "convex", "full_attention"])"));
            }).find("'convex'"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              hugging_face(small_lfm2(R"("layer_types": ["conv"])"));
            }).find("layer_types has 1 types for 3 layers"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
