#include "workload/model/model.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

Model read(const char* text) {
  return read_model(config::Catalogue().resolve("models", config::parse(text, "x.yaml")));
}

TEST(Model, a_name_is_looked_up) {
  const Model model = read("llama-3-8b");
  EXPECT_EQ(model.transformer.layers, 32);
  EXPECT_EQ(model.transformer.attention.kv_heads, 8);
  EXPECT_EQ(model.sequence, 8192);
}

TEST(Model, an_inline_transformer_has_Megatron_s_defaults) {
  const TransformerShape shape =
      read("{transformer: {layers: 2, hidden: 64, heads: 4, vocabulary: 100}}").transformer;
  EXPECT_EQ(shape.attention.kv_heads, 4);
  EXPECT_EQ(shape.attention.head_dim, 16);
  EXPECT_EQ(shape.ffn, 256);
  EXPECT_TRUE(shape.ends.tied && shape.bias && !shape.gated && !shape.encoder);
  EXPECT_EQ(shape.positions, Positions::learned);
  EXPECT_EQ(shape.norm, Norm::layernorm);
}

TEST(Model, changes_to_a_base_are_changes_to_its_transformer) {
  const Model model = read("{base: deepseek-v3, layers: 4, experts: {count: 16}}");
  EXPECT_EQ(model.transformer.layers, 4);
  EXPECT_EQ(model.transformer.experts->count, 16);
  EXPECT_EQ(model.transformer.experts->active, 8);
  EXPECT_EQ(model.transformer.hidden, 7168);
}

TEST(Model, mistakes_name_the_place_and_what_would_be_right) {
  EXPECT_EQ(error_of([] { read("{base: gpt2-xl, layer: 4}"); }),
            "x.yaml:1:17: error: unknown key 'layer'; did you mean 'layers'?");
  EXPECT_EQ(error_of([] { read("{transformer: {layers: 2, hidden: 64, heads: 4}}"); }),
            "x.yaml:1:15: error: transformer needs the key 'vocabulary'");
  EXPECT_EQ(
      error_of([] { read("{transformer: {layers: 2, hidden: 64, heads: 5, vocabulary: 9}}"); }),
      "x.yaml:1:46: error: heads 5 do not divide hidden 64; give head_dim as well");
  EXPECT_EQ(error_of([] {
              read("{transformer: {layers: 2, hidden: 64, heads: 4, kv_heads: 3, vocabulary: 9}}");
            }),
            "x.yaml:1:59: error: kv_heads 3 must divide heads 4");
  EXPECT_EQ(error_of([] { read("{layers: 3}"); }),
            "x.yaml:1:1: error: a model must be a catalogue name, a file, or a map with "
            "'transformer', 'cnn', 'recurrent' or a list 'layers'");
}

TEST(Model, experts_replace_the_last_mlp_of_every_group) {
  const TransformerShape shape =
      read(
          "{transformer: {layers: 7, hidden: 8, heads: 1, vocabulary: 9, "
          "experts: {count: 4, every: 2, dense: 1}}}")
          .transformer;
  // Block 0 is dense; of 1, 2 | 3, 4 | 5, 6 the second has experts.
  const bool expected[] = {false, false, true, false, true, false, true};
  for (int64_t block = 0; block < 7; ++block)
    EXPECT_EQ(shape.feed(block) == Feed::experts, expected[block]) << block;
}

}  // namespace
}  // namespace pipewright::test
