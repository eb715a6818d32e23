#include <gtest/gtest.h>

#include "error_of.hpp"
#include "hugging_face.hpp"

namespace pipewright {
namespace {

using namespace test;

std::string small(const std::string& rest) {
  return R"({"hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4,
      "intermediate_size": 128, "vocab_size": 100, "mamba_n_heads": 8, "mamba_d_state": 16, )" +
         rest + "}";
}

// mamba_d_head: "auto" is mamba_expand times the model's width over the heads (BambaConfig).
TEST(BambaKeys, heads_are_as_wide_as_they_fill_the_expansion) {
  const TransformerShape shape =
      hugging_face(small(R"("model_type": "bamba", "attn_layer_indices": [2])")).transformer;
  EXPECT_EQ(shape.kinds.state_space->head_dim, 16);
  EXPECT_EQ(shape.mixer(1), Mixer::state_space);
  EXPECT_EQ(shape.mixer(2), Mixer::full);
  EXPECT_EQ(shape.feed(1), Feed::dense);
}

TEST(BambaKeys, granite_without_experts_has_an_mlp_as_wide_as_the_shared_one) {
  const TransformerShape shape =
      hugging_face(small(R"("model_type": "granitemoehybrid", "num_local_experts": 0,
      "shared_intermediate_size": 256, "layer_types": ["mamba", "attention", "mamba", "mamba"])"))
          .transformer;
  EXPECT_FALSE(shape.experts.has_value());
  EXPECT_EQ(shape.ffn, 256);
  EXPECT_EQ(shape.mixer(1), Mixer::full);
  EXPECT_EQ(shape.positions, Positions::none);
}

TEST(BambaKeys, another_type_of_layer_is_told) {
  const std::string error = error_of([] {
    hugging_face(small(R"("model_type": "granitemoehybrid", "num_local_experts": 4,
      "layer_types": ["mambo", "attention", "mamba", "mamba"])"));
  });
  EXPECT_NE(error.find("no layer type 'mambo' is known; known are mamba and attention"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace pipewright
