#include <gtest/gtest.h>

#include "error_of.hpp"
#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

std::string nas(const std::string& blocks) {
  return R"({"model_type": "nemotron-nas", "hidden_size": 1024, "intermediate_size": null,
      "num_attention_heads": 8, "num_hidden_layers": 3, "num_key_value_heads": null,
      "tie_word_embeddings": false, "vocab_size": 1000, "block_configs": [)" +
         blocks + "]}";
}

const std::string whole =
    R"({"attention": {"n_heads_in_group": 4, "no_op": false, "replace_with_linear": false},
        "ffn": {"ffn_mult": 1.3125, "no_op": false, "replace_with_linear": false}})";
const std::string wide =
    R"({"attention": {"n_heads_in_group": null, "no_op": true, "replace_with_linear": false},
        "ffn": {"ffn_mult": 5.25, "no_op": false, "replace_with_linear": false}})";
const std::string nothing = R"({"attention": {"no_op": true}, "ffn": {"no_op": true}})";

// 2/3 x 1.3125 x 1024 = 896, up to 1024; 2/3 x 5.25 x 1024 = 3584. A block that does nothing has no
// norm either.
TEST(NasKeys, every_block_has_a_width_of_its_own) {
  constexpr double h = 1024;
  const std::string json = nas(whole + "," + wide + "," + nothing);
  EXPECT_DOUBLE_EQ(parameters_of(json), attention_weights(h, 8, 2, 128) + mlp_weights(h, 1024) +
                                            mlp_weights(h, 3584) + 3 * h + 2 * 1000 * h + h);
  const TransformerShape shape = hugging_face(json).transformer;
  EXPECT_EQ(shape.layers, 2);
  EXPECT_EQ(shape.mixer(1), Mixer::none);
  EXPECT_EQ(shape.ffn_of(1), 3584);
}

TEST(NasKeys, what_is_not_modelled_is_told) {
  EXPECT_NE(error_of([] {
              hugging_face(nas(R"({"attention": {"replace_with_linear": true}, "ffn": {}})"));
            }).find("a product in place of attention or MLP (replace_with_linear) is not modelled"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              hugging_face(nas(R"({"attention": {"n_heads_in_group": 4}})"));
            }).find("a block needs the map 'ffn'"),
            std::string::npos);
}

// The ranks of a tensor group divide the MLP of every block.
TEST(NasKeys, tensor_ranks_divide_every_width) {
  const auto cut = [](int64_t tensor) {
    return layers_of(transformer("{layers: 2, hidden: 64, heads: 12, head_dim: 16, vocabulary: 96, "
                                 "ffn: [96, 64]}"),
                     {.sequence = 32, .tensor = tensor});
  };
  EXPECT_DOUBLE_EQ(cut(1)[1].parameters - cut(1)[2].parameters, 2 * 64 * 32 + 32);
  EXPECT_EQ(error_of([&] { cut(3); }), "error: tensor 3 must divide ffn 64");
}

}  // namespace
}  // namespace pipewright::test
