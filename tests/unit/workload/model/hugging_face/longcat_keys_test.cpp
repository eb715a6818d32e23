#include <gtest/gtest.h>

#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

constexpr const char* flash = R"({"model_type": "longcat_flash", "attention_bias": false,
    "attention_method": "MLA", "expert_ffn_hidden_size": 2048, "ffn_hidden_size": 12288,
    "hidden_size": 6144, "kv_lora_rank": 512, "max_position_embeddings": 131072, "moe_topk": 12,
    "n_routed_experts": 512, "num_attention_heads": 64, "num_layers": 28, "q_lora_rank": 1536,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "routed_scaling_factor": 6.0,
    "v_head_dim": 128, "vocab_size": 131072, "zero_expert_num": 256,
    "zero_expert_type": "identity"})";

// meituan-longcat/LongCat-Flash-Chat: each of 28 layers has two latent attentions, two MLPs, four
// norms and 512 experts, between which and 256 more the router chooses. The paper says 560 B, and
// about 27 B a token on average (arXiv 2509.01322, abstract).
TEST(LongcatKeys, a_layer_is_two_blocks) {
  constexpr double h = 6144, heads = 64;
  const double latent =
      h * 1536 + 1536 + 1536 * heads * 192 + h * 576 + 512 + 512 * heads * 256 + heads * 128 * h;
  const double experts = 512 * mlp_weights(h, 2048) + 768 * h;
  const double layer = 2 * (latent + mlp_weights(h, 12288) + 2 * h) + experts;
  EXPECT_DOUBLE_EQ(parameters_of(flash), 28 * layer + 2 * 131072 * h + h);
  EXPECT_NEAR(parameters_of(flash), 560e9, 1e9);
  EXPECT_NEAR(count_parameters(hugging_face(flash)).active, 27e9, 1e9);
}

// Twelve are chosen of 768, of which 512 do something: eight in the mean.
TEST(LongcatKeys, a_third_of_the_choices_do_nothing) {
  const TransformerShape shape = hugging_face(flash).transformer;
  EXPECT_EQ(shape.layers, 56);
  EXPECT_EQ(shape.feed(0), Feed::experts);
  EXPECT_EQ(shape.feed(1), Feed::dense);
  EXPECT_DOUBLE_EQ(shape.experts->working(), 8);
  EXPECT_EQ(shape.experts->shared_width(), 12288);
}

TEST(LongcatKeys, what_is_not_overlapped_is_told) {
  EXPECT_NE(hugging_face(flash).left_out.find("beside the second attention and MLP"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
