#include <gtest/gtest.h>

#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

/// The 2B's config.json.
const char* recurrent_gemma_2b = R"({"model_type": "recurrent_gemma", "hidden_size": 2560,
    "intermediate_size": 15360, "num_hidden_layers": 26, "num_attention_heads": 10,
    "num_key_value_heads": 1, "head_dim": 256, "lru_width": 2560, "conv1d_width": 4,
    "attention_window_size": 2048, "attention_bias": false, "logits_soft_cap": 30.0,
    "block_types": ["recurrent", "recurrent", "attention"],
    "partial_rotary_factor": 0.5, "vocab_size": 256000})";

// Modules of modeling_recurrent_gemma.py, each with its biases. Of 26 blocks 18 are recurrent.
TEST(RecurrentKeys, recurrent_gemma_has_its_published_parameters) {
  const double h = 2560, ffn = 7680, head = 256, embedding = 256000 * h;
  const double mlp = 2 * (h * ffn + ffn) + ffn * h + h, norms = 2 * h;
  const double gates = 2 * (10 * head * head + h) + h, filter = 4 * h + h;
  const double recurrent = 3 * (h * h + h) + filter + gates;
  const double attention = h * h + 2 * h * head + h * h + h;
  const double all = embedding + 26 * (mlp + norms) + 18 * recurrent + 8 * attention + h;
  EXPECT_DOUBLE_EQ(all, 2682862080);  // "total" of the Hub's safetensors metadata
  EXPECT_DOUBLE_EQ(parameters_of(recurrent_gemma_2b), all);
}

TEST(RecurrentKeys, blocks_begin_again_with_a_window_in_every_third) {
  const TransformerShape shape = hugging_face(recurrent_gemma_2b).transformer;
  EXPECT_EQ(shape.mixer(0), Mixer::gated_recurrence);
  EXPECT_EQ(shape.mixer(23), Mixer::sliding);
  EXPECT_EQ(shape.mixer(25), Mixer::gated_recurrence);
  EXPECT_EQ(shape.reach(2, 8192), 2048);
  EXPECT_TRUE(shape.ends.soft_cap);
}

}  // namespace
}  // namespace pipewright::test
