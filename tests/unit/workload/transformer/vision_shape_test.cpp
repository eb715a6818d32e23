#include "workload/transformer/vision_shape.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test {
namespace {

VisionTower tower(const std::string& more) {
  return read_vision(config::parse("{layers: 2, hidden: 64, heads: 4, " + more + "}", "v.yaml"));
}

// A side is filled up to whole squares of patches: 100 pixels are 4 squares of 2 x 14.
TEST(VisionShape, an_image_is_whole_squares_of_patches) {
  const VisionTower squares = tower("patches: {side: 14}, projector: {merge: 2}");
  EXPECT_EQ(squares.patches_of(28), 4);
  EXPECT_EQ(squares.tokens(28), 1);
  EXPECT_EQ(squares.patches_of(100), 8 * 8);
  EXPECT_EQ(squares.tokens(100), 4 * 4);
}

TEST(VisionShape, patches_side_by_side_are_wider_than_their_mean) {
  EXPECT_EQ(tower("patches: {side: 14}, projector: {merge: 2}").merged_width(), 4 * 64);
  EXPECT_EQ(tower("patches: {side: 14}, projector: {merge: 2, pools: true}").merged_width(), 64);
}

TEST(VisionShape, its_blocks_see_all_patches_and_know_no_words) {
  const VisionTower some = tower("patches: {side: 14}");
  EXPECT_TRUE(some.blocks->encoder);
  EXPECT_EQ(some.blocks->layers, 2);
  EXPECT_EQ(some.patches.numbers(), 3 * 14 * 14);
}

TEST(VisionShape, what_is_wrong_is_told_at_its_place) {
  EXPECT_NE(error_of([] { tower("heads_: 3"); }).find("unknown key 'heads_'"), std::string::npos);
  EXPECT_NE(error_of([] { tower("gated: true"); }).find("'patches'"), std::string::npos);
  EXPECT_NE(error_of([] {
              tower("patches: {side: 16, image: 8}");
            }).find("an image of 8 pixels has no patch of 16"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              tower("patches: {side: 16}, projector: {widths: 5}");
            }).find("must be a list of widths, such as [5120]"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
