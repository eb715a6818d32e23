#include <gtest/gtest.h>

#include "error_of.hpp"
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

// GptOssTopKRouter takes num_experts_per_tok, whatever the older experts_per_token says.
TEST(Parts, a_token_goes_to_no_more_experts_than_there_are) {
  const auto mixture = [](const std::string& type, const char* active) {
    return error_of([&] {
      hugging_face(R"({"model_type": ")" + type + R"(", "hidden_size": 64, "num_hidden_layers": 2,
          "num_attention_heads": 4, "vocab_size": 100, "intermediate_size": 64,
          "experts_per_token": 4, "num_local_experts": 32, "num_experts_per_tok": )" +
                   active + "}");
    });
  };
  for (const char* type : {"gpt_oss", "mixtral", "phimoe"}) {
    EXPECT_EQ(mixture(type, "32"), "no error") << type;
    EXPECT_NE(mixture(type, "64").find("config.json:3:83"), std::string::npos)
        << type << ": " << mixture(type, "64");
  }
}

// OPTDecoder's project_in and project_out; facebook/opt-350m has 512 beside 1024.
TEST(Parts, embeddings_narrower_than_blocks_are_refused) {
  const auto opt = [](const char* words) {
    return error_of([&] {
      hugging_face(std::string(R"({"model_type": "opt", "hidden_size": 1024, "ffn_dim": 4096,
          "num_hidden_layers": 24, "num_attention_heads": 16, "vocab_size": 50272,
          "word_embed_proj_dim": )") +
                   words + "}");
    });
  };
  EXPECT_EQ(opt("1024"), "no error");
  EXPECT_NE(opt("512").find("embeddings of 512 numbers for blocks of 1024"), std::string::npos);
}

/// Which of four blocks of a Qwen see 32 tokens of 512, one letter each.
std::string windows(const std::string& type, const std::string& rest) {
  const TransformerShape shape =
      hugging_face(R"({"model_type": ")" + type + R"(", "hidden_size": 64, "num_hidden_layers": 4,
        "num_attention_heads": 4, "vocab_size": 100, "num_experts": 4, "num_experts_per_tok": 2,
        "moe_intermediate_size": 64, "sliding_window": 32, )" +
                   rest + R"("torch_dtype": "bfloat16"})")
          .transformer;
  std::string seen;
  for (int64_t block = 0; block < 4; ++block) seen += shape.reach(block, 512) == 32 ? 'w' : 'f';
  return seen;
}

// Qwen2Config, Qwen3Config: the window is that of layers from max_window_layers on, 28 by default,
// and only where use_sliding_window says so, false by default.
TEST(Parts, a_window_is_that_of_later_blocks) {
  for (const char* type : {"qwen2", "qwen3"}) {
    EXPECT_EQ(windows(type, R"("use_sliding_window": true, "max_window_layers": 2, )"), "ffww");
    EXPECT_EQ(windows(type, R"("use_sliding_window": true, "max_window_layers": 4, )"), "ffff");
    EXPECT_EQ(windows(type, R"("use_sliding_window": true, )"), "ffff");
    EXPECT_EQ(windows(type, R"("use_sliding_window": false, "max_window_layers": 2, )"), "ffff");
    EXPECT_EQ(windows(type, R"("max_window_layers": 2, )"), "ffff");
    EXPECT_EQ(windows(type, ""), "ffff");
  }
}

// Qwen2MoeConfig: every other one of the first max_window_layers. Qwen3MoeConfig: all of them.
TEST(Parts, a_window_of_a_mixture_is_where_its_class_has_it) {
  const std::string three = R"("use_sliding_window": true, "max_window_layers": 3, )";
  EXPECT_EQ(windows("qwen2_moe", three), "wfwf");
  EXPECT_EQ(windows("qwen2_moe", R"("use_sliding_window": true, "max_window_layers": 0, )"),
            "ffff");
  EXPECT_EQ(windows("qwen3_moe", three), "wwww");
  for (const char* type : {"qwen2_moe", "qwen3_moe"}) {
    EXPECT_EQ(windows(type, ""), "ffff");
    EXPECT_EQ(windows(type, R"("max_window_layers": 0, )"), "ffff");
  }
}

}  // namespace
}  // namespace pipewright::test::parts
