// Blocks that share their weights, as ALBERT's groups do (arXiv 1909.11942).
#include "workload/transformer/transformer_shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright {
namespace {

using namespace test;

std::vector<Layer> model(const std::string& more) {
  return layers_of(transformer("{layers: 6, hidden: 64, heads: 4, vocabulary: 100" + more + "}"),
                   {.sequence = 32});
}

double parameters(const std::vector<Layer>& layers) {
  double sum = 0;
  for (const Layer& layer : layers) sum += layer.device_parameters;
  return sum;
}

TEST(TransformerShape, a_group_has_the_weights_of_one_block) {
  const auto plain = model("");
  const double block = plain[1].device_parameters;
  for (int groups = 1; groups <= 6; ++groups) {
    const auto shared = model(", hidden_groups: " + std::to_string(groups));
    EXPECT_DOUBLE_EQ(parameters(plain) - parameters(shared), (6 - groups) * block) << groups;
    EXPECT_DOUBLE_EQ(model_flops(shared), model_flops(plain)) << groups;
  }
}

// Block k of L is of group floor(k G / L), as in the authors' code.
TEST(TransformerShape, groups_are_neighbours) {
  const auto owners = [](const std::string& more) {
    std::vector<int> blocks;
    const auto layers = model(more);
    for (int k = 0; k < 6; ++k)
      if (!layers[static_cast<size_t>(k) + 1].tied.to_former) blocks.push_back(k);
    return blocks;
  };
  EXPECT_THAT(owners(", hidden_groups: 2"), testing::ElementsAre(0, 3));
  EXPECT_THAT(owners(", hidden_groups: 4"), testing::ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(owners(""), testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(TransformerShape, blocks_of_a_group_are_alike) {
  EXPECT_THAT(error_of([] { model(", hidden_groups: 1, mixers: [full, sliding], window: 8"); }),
              testing::HasSubstr("cannot share weights"));
  EXPECT_THAT(error_of([] { model(", hidden_groups: 7"); }), testing::HasSubstr("from 1 to 6"));
}

}  // namespace
}  // namespace pipewright
