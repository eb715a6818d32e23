#include <gtest/gtest.h>

#include "error_of.hpp"
#include "hugging_face.hpp"
#include "of_four_blocks.hpp"

namespace pipewright::test {
namespace {

std::string small_bamba(const std::string& rest) {
  return of_four_blocks(R"("mamba_n_heads": 8, "mamba_d_state": 16, )" + rest);
}

// mamba_d_head: "auto" is mamba_expand times the model's width over the heads (BambaConfig).
TEST(BambaKeys, heads_are_as_wide_as_they_fill_the_expansion) {
  const TransformerShape shape =
      hugging_face(small_bamba(R"("model_type": "bamba", "attn_layer_indices": [2])")).transformer;
  EXPECT_EQ(shape.kinds.state_space->head_dim, 16);
  EXPECT_EQ(shape.mixer(1), Mixer::state_space);
  EXPECT_EQ(shape.mixer(2), Mixer::full);
  EXPECT_EQ(shape.feed(1), Feed::dense);
}

TEST(BambaKeys, granite_without_experts_has_an_mlp_as_wide_as_the_shared_one) {
  const TransformerShape shape =
      hugging_face(small_bamba(R"("model_type": "granitemoehybrid", "num_local_experts": 0,
      "shared_intermediate_size": 256, "layer_types": ["mamba", "attention", "mamba", "mamba"])"))
          .transformer;
  EXPECT_FALSE(shape.experts.has_value());
  EXPECT_EQ(shape.ffn, 256);
  EXPECT_EQ(shape.mixer(1), Mixer::full);
  EXPECT_EQ(shape.positions, Positions::none);
}

// tiiuae/Falcon-H1-0.5B-Base; its safetensors hold 521,411,104.
TEST(BambaKeys, falcon_h1_has_both_in_every_block) {
  const char* json = R"({"model_type": "falcon_h1", "attention_bias": false, "head_dim": 64,
      "hidden_size": 1024, "intermediate_size": 2048, "mamba_chunk_size": 128, "mamba_conv_bias":
      true, "mamba_d_conv": 4, "mamba_d_head": 64, "mamba_d_ssm": 1536, "mamba_d_state": 128,
      "mamba_expand": 2, "mamba_n_groups": 1, "mamba_n_heads": 24, "mamba_proj_bias": false,
      "mamba_rms_norm": false, "max_position_embeddings": 16384, "num_attention_heads": 8,
      "num_hidden_layers": 36, "num_key_value_heads": 2, "projectors_bias": false,
      "tie_word_embeddings": false, "vocab_size": 32784})";
  EXPECT_DOUBLE_EQ(parameters_of(json), 521411104);
  const TransformerShape shape = hugging_face(json).transformer;
  EXPECT_EQ(shape.mixer(35), Mixer::full_and_state_space);
  EXPECT_FALSE(shape.kinds.state_space->norm);
}

TEST(BambaKeys, another_type_of_layer_is_told) {
  const std::string error = error_of([] {
    hugging_face(small_bamba(R"("model_type": "granitemoehybrid", "num_local_experts": 4,
      "layer_types": ["mambo", "attention", "mamba", "mamba"])"));
  });
  EXPECT_NE(error.find("no layer type 'mambo' is known; known are mamba and attention"),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace pipewright::test
