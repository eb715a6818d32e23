#include <gtest/gtest.h>

#include "error_of.hpp"
#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

std::string mixers_of(const char* text, std::string_view linear = "") {
  Value transformer = config::parse("{}", "x.yaml");
  read_layer_types(config::parse(text, "x.yaml"), linear, transformer);
  const Value* mixers = transformer.find("mixers");
  std::string all;
  if (mixers)
    for (const Value& kind : mixers->items) all += kind.text + ' ';
  return all;
}

TEST(LayerTypes, are_kinds_by_other_names) {
  EXPECT_EQ(mixers_of("{layer_types: [sliding_attention, full_attention]}"), "sliding full ");
  EXPECT_EQ(mixers_of("{layer_types: [chunked_attention]}"), "chunked ");
  EXPECT_EQ(mixers_of("{layer_types: [linear_attention]}", "lightning"), "lightning ");
  EXPECT_EQ(mixers_of("{layer_types: [full_attention, full_attention]}"), "");
  EXPECT_EQ(mixers_of("{}"), "");
}

TEST(LayerTypes, one_that_is_not_known_is_told_with_those_that_are) {
  EXPECT_EQ(test::error_of([] { mixers_of("{layer_types: [full_atention]}"); }),
            "x.yaml:1:16: error: no layer type 'full_atention' is known; known are "
            "full_attention, sliding_attention, chunked_attention, linear_attention, "
            "deepseek_sparse_attention; did you mean 'full_attention'?");
  EXPECT_NE(test::error_of([] { mixers_of("{layer_types: [linear_attention]}"); }), "");
  EXPECT_EQ(test::error_of([] { mixers_of("{layer_types: 3}"); }),
            "x.yaml:1:15: error: layer_types must be a list with the type of every layer, such as "
            "full_attention");
}

TEST(LayerTypes, there_is_one_for_each_layer) {
  EXPECT_EQ(
      test::error_of([] { mixers_of("{num_hidden_layers: 3, layer_types: [full_attention]}"); }),
      "x.yaml:1:37: error: layer_types has 1 types for 3 layers: it must have one for each");
}

TEST(LayerTypes, an_interval_ends_with_the_rare_kind) {
  Value transformer = config::parse("{}", "x.yaml");
  alternate(transformer, "sliding", "full", 3);
  ASSERT_EQ(transformer.find("mixers")->items.size(), 3u);
  EXPECT_EQ(transformer.find("mixers")->items[1].text, "sliding");
  EXPECT_EQ(transformer.find("mixers")->items[2].text, "full");
}

}  // namespace
}  // namespace pipewright::hugging_face
