#include <gtest/gtest.h>

#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

// RWKV-7 World 0.1B has 191,034,624 parameters; a norm of two vectors behind the embedding is left
// out.
TEST(RwkvKeys, rwkv_7_has_its_published_parameters) {
  const char* json = R"({"model_type": "rwkv7", "hidden_size": 768, "num_hidden_layers": 12,
      "head_dim": 64, "num_heads": 12, "decay_low_rank_dim": 64, "a_low_rank_dim": 64,
      "v_low_rank_dim": 32, "gate_low_rank_dim": 128, "intermediate_size": 3072,
      "norm_bias": true, "tie_word_embeddings": false, "vocab_size": 65536})";
  EXPECT_DOUBLE_EQ(parameters_of(json), 191034624 - 2 * 768);
  EXPECT_EQ(hugging_face(json).transformer.mixer(11), Mixer::time_mixing);
}

}  // namespace
}  // namespace pipewright::test
