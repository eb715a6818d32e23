// Published configurations of Mamba 1 (config.json of the repository named).
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

// Falcon Mamba gives its width, which is not `expand` times that of the model.
constexpr const char* falcon = R"({"model_type": "falcon_mamba", "conv_kernel": 4, "expand": 16,
    "hidden_size": 4096, "intermediate_size": 8192, "num_hidden_layers": 64, "state_size": 16,
    "tie_word_embeddings": false, "time_step_rank": 256, "use_bias": false, "use_conv_bias": true,
    "vocab_size": 65024})";

constexpr const char* jamba = R"({"model_type": "jamba", "attn_layer_offset": 4,
    "attn_layer_period": 8, "expert_layer_offset": 1, "expert_layer_period": 2,
    "hidden_size": 4096, "intermediate_size": 14336, "mamba_conv_bias": true, "mamba_d_conv": 4,
    "mamba_d_state": 16, "mamba_dt_rank": 256, "mamba_expand": 2, "mamba_proj_bias": false,
    "max_position_embeddings": 262144, "num_attention_heads": 32, "num_experts": 16,
    "num_experts_per_tok": 2, "num_hidden_layers": 32, "num_key_value_heads": 8,
    "tie_word_embeddings": false, "vocab_size": 65536})";

constexpr Published mamba_models[] = {
    {"tiiuae/falcon-mamba-7b", falcon, 7272665088},
    {"state-spaces/mamba-2.8b-hf",
     R"({"model_type": "mamba", "hidden_size": 2560, "num_hidden_layers": 64, "state_size": 16,
      "expand": 2, "conv_kernel": 4, "time_step_rank": 160, "vocab_size": 50280})",
     2768345600},
    {"ai21labs/AI21-Jamba-1.5-Mini", jamba, 51570323328},
};

TEST(MambaKeys, each_has_the_parameters_that_were_published) {
  for (const Published& model : mamba_models)
    EXPECT_DOUBLE_EQ(parameters_of(model.json), model.parameters) << model.name;
}

TEST(MambaKeys, what_has_no_attention_says_no_length) {
  EXPECT_EQ(hugging_face(falcon).sequence, 2048);
  EXPECT_EQ(hugging_face(jamba).sequence, 262144);
}

// A rank that is left out or auto is a sixteenth of the width, rounded up.
TEST(MambaKeys, a_rank_may_be_left_to_the_class) {
  const Model model = hugging_face(
      R"({"model_type": "mamba", "hidden_size": 100, "num_hidden_layers": 1, "time_step_rank":
       "auto", "vocab_size": 10})");
  EXPECT_EQ(model.transformer.kinds.selective_scan->rank, 7);
  EXPECT_EQ(model.transformer.kinds.selective_scan->inner, 200);
}

TEST(MambaKeys, jamba_attends_and_routes_once_in_a_period) {
  const TransformerShape shape = hugging_face(jamba).transformer;
  for (int64_t block = 0; block < 32; ++block) {
    EXPECT_EQ(shape.mixer(block), block % 8 == 4 ? Mixer::full : Mixer::selective_scan);
    EXPECT_EQ(shape.feed(block), block % 2 == 1 ? Feed::experts : Feed::dense);
  }
}

TEST(MambaKeys, an_offset_beyond_its_period_is_told) {
  EXPECT_NE(error_of([] {
              hugging_face(R"({"model_type": "jamba", "hidden_size": 64, "num_hidden_layers": 4,
                  "num_attention_heads": 4, "vocab_size": 10, "num_experts": 4,
                  "attn_layer_period": 2, "attn_layer_offset": 3})");
            }).find("attn_layer_offset must be less than attn_layer_period 2"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
