#include "convert/megatron/layer_pattern.hpp"

#include <gtest/gtest.h>

namespace pipewright::megatron {
namespace {

using List = std::vector<int>;

TEST(MegatronLayerPattern, is_what_python_makes_of_it) {
  EXPECT_EQ(read_layer_pattern("([0]+[1]*3)"), (List{0, 1, 1, 1}));
  EXPECT_EQ(read_layer_pattern("[0]*2 + [1]"), (List{0, 0, 1}));
  EXPECT_EQ(read_layer_pattern("([0,1]*1+[1])*2"), (List{0, 1, 1, 0, 1, 1}));
  EXPECT_EQ(read_layer_pattern("[1]*0+[0]"), (List{0}));
}

TEST(MegatronLayerPattern, another_expression_is_none) {
  for (const char* text : {"", "1", "[0]*", "[0]+", "([0]", "[]", "[-1]", "[0] if x else [1]",
                           "[1]*2000000000", "[1,1]*65536"})
    EXPECT_FALSE(read_layer_pattern(text)) << text;
  EXPECT_FALSE(read_layer_pattern(std::string(100'000, '(')));
}

}  // namespace
}  // namespace pipewright::megatron
