// Blocks that share their weights, as ALBERT's groups do (arXiv 1909.11942).
#include "workload/transformer/transformer_shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test {
namespace {

std::vector<Layer> six_blocks(const std::string& more) {
  return layers_of(transformer("{layers: 6, hidden: 64, heads: 4, vocabulary: 100" + more + "}"),
                   {.sequence = 32});
}

TEST(TransformerShape, a_group_has_the_weights_of_one_block) {
  const auto plain = six_blocks("");
  const double block = plain[1].device_parameters;
  for (int groups = 1; groups <= 6; ++groups) {
    const auto shared = six_blocks(", hidden_groups: " + std::to_string(groups));
    EXPECT_DOUBLE_EQ(device_parameters(plain) - device_parameters(shared), (6 - groups) * block)
        << groups;
    EXPECT_DOUBLE_EQ(model_flops(shared), model_flops(plain)) << groups;
  }
}

// Block k of L is of group floor(k G / L), as in the authors' code.
TEST(TransformerShape, groups_are_neighbours) {
  const auto owners = [](const std::string& more) {
    std::vector<int> blocks;
    const auto layers = six_blocks(more);
    for (int k = 0; k < 6; ++k)
      if (!layers[static_cast<size_t>(k) + 1].tied.to_former) blocks.push_back(k);
    return blocks;
  };
  EXPECT_THAT(owners(", hidden_groups: 2"), testing::ElementsAre(0, 3));
  EXPECT_THAT(owners(", hidden_groups: 4"), testing::ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(owners(""), testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(TransformerShape, blocks_of_a_group_are_alike) {
  EXPECT_THAT(
      error_of([] { six_blocks(", hidden_groups: 1, mixers: [full, sliding], window: 8"); }),
      testing::HasSubstr("cannot share weights"));
  EXPECT_THAT(error_of([] { six_blocks(", hidden_groups: 7"); }),
              testing::HasSubstr("from 1 to 6"));
}

}  // namespace
}  // namespace pipewright::test
