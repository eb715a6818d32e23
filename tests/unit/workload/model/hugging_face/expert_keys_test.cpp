#include <gtest/gtest.h>

#include "error_of.hpp"
#include "hugging_face.hpp"
#include "of_four_blocks.hpp"

namespace pipewright::test {
namespace {

std::string feeds_of(const std::string& rest) {
  const TransformerShape shape = hugging_face(of_four_blocks(rest)).transformer;
  std::string feeds;
  for (int64_t block = 0; block < 4; ++block)
    feeds += shape.feed(block) == Feed::experts ? 'e' : 'd';
  return feeds;
}

TEST(ExpertKeys, ernie_says_where_experts_begin_and_end) {
  const auto feeds = [](const std::string& rest) {
    return feeds_of(R"("model_type": "ernie4_5_moe", "moe_num_experts": 4)" + rest);
  };
  EXPECT_EQ(feeds(""), "deee");
  EXPECT_EQ(feeds(R"(, "moe_layer_start_index": 0, "moe_layer_end_index": 2)"), "eeed");
  EXPECT_EQ(feeds(R"(, "moe_layer_interval": 2, "moe_layer_end_index": -1)"), "dede");
}

// GLM 4.5 and K-EXAONE list them, Qwen lists the others, MiMo has a 0 or 1 for each.
TEST(ExpertKeys, lists_say_which_blocks_have_experts) {
  const std::string qwen = R"("model_type": "qwen3_moe", "num_experts": 4, )";
  EXPECT_EQ(feeds_of(qwen + R"("mlp_only_layers": [0, 3])"), "deed");
  EXPECT_EQ(feeds_of(qwen + R"("mlp_only_layers": [1], "decoder_sparse_step": 2)"), "ddde");
  EXPECT_EQ(feeds_of(qwen + R"("mlp_layer_types": ["dense", "sparse", "sparse", "dense"])"),
            "deed");
  EXPECT_EQ(feeds_of(qwen + R"("is_moe_layer": [false, true, true, true])"), "deee");
  EXPECT_EQ(feeds_of(qwen + R"("moe_layer_freq": [0, 1, 0, 1])"), "dede");
  EXPECT_EQ(feeds_of(qwen + R"("moe_layer_freq": 2)"), "dede");
  EXPECT_EQ(error_of([&] { feeds_of(qwen + R"("moe_layer_freq": [0, 1])"); }),
            "config.json:2:115: error: has 2 entries for 4 layers: it must have one for each");
}

TEST(ExpertKeys, an_mlp_beside_granite_s_experts_is_a_shared_one) {
  const auto experts = hugging_face(of_four_blocks(R"("model_type": "granitemoeshared",
      "num_local_experts": 8, "shared_intermediate_size": 256)"))
                           .transformer.experts;
  EXPECT_EQ(experts->shared_width(), 256);
  EXPECT_EQ(experts->ffn, 128);
}

TEST(ExpertKeys, ling_s_shared_experts_may_be_wider) {
  const auto experts = hugging_face(of_four_blocks(R"("model_type": "bailing_moe",
      "num_experts": 8, "num_shared_experts": 2, "moe_intermediate_size": 32,
      "moe_shared_expert_intermediate_size": 48)"))
                           .transformer.experts;
  EXPECT_EQ(experts->shared_width(), 96);
}

TEST(ExpertKeys, dbrx_without_its_experts_is_told) {
  const std::string error = error_of([] {
    hugging_face("{model_type: dbrx, d_model: 64, n_layers: 2, n_heads: 4, vocab_size: 100}");
  });
  EXPECT_EQ(error,
            "config.json:1:1: error: model_type 'dbrx' needs the key 'ffn_config' with "
            "moe_num_experts, moe_top_k and ffn_hidden_size");
}

TEST(ExpertKeys, afmoe_has_dense_blocks_first_and_sees_all_in_every_fourth) {
  const TransformerShape shape = hugging_face(of_four_blocks(R"("model_type": "afmoe",
      "num_experts": 8, "num_dense_layers": 2, "sliding_window": 16)"))
                                     .transformer;
  EXPECT_EQ(shape.feed(1), Feed::dense);
  EXPECT_EQ(shape.feed(2), Feed::experts);
  EXPECT_EQ(shape.mixer(2), Mixer::sliding);
  EXPECT_EQ(shape.mixer(3), Mixer::full);
  EXPECT_TRUE(shape.attention.gate);
}

// PowerInfer/SmallThinker-21BA3B-Instruct, by hand; its card says 21 B, 3 B of them active.
TEST(ExpertKeys, smallthinker) {
  const std::string json = R"({"model_type": "smallthinker", "head_dim": 128, "hidden_size": 2560,
      "max_position_embeddings": 16384, "moe_ffn_hidden_size": 768,
      "moe_num_active_primary_experts": 6, "moe_num_primary_experts": 64,
      "num_attention_heads": 28, "num_hidden_layers": 52, "num_key_value_heads": 4,
      "sliding_window_layout": [0, 1, 1, 1], "sliding_window_size": 4096,
      "tie_word_embeddings": false, "vocab_size": 151936})";
  constexpr double h = 2560;
  EXPECT_DOUBLE_EQ(parameters_of(json),
                   52 * (attention_weights(h, 28, 4, 128) + expert_weights(h, 64, 768) + 2 * h) +
                       2 * 151936 * h + h);
  EXPECT_NEAR(parameters_of(json), 21.5e9, 0.1e9);
  const TransformerShape shape = hugging_face(json).transformer;
  EXPECT_EQ(shape.reach(0, 8192), 8192);
  EXPECT_EQ(shape.reach(1, 8192), 4096);
}

}  // namespace
}  // namespace pipewright::test
