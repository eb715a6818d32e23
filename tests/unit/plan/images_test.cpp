// What is told of images that a model cannot take, at the key that is wrong.
#include "plan/images.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

constexpr const char* tower =
    ", vision: {layers: 2, hidden: 32, heads: 4, patches: {side: 4}, projector: {merge: 2}}";
constexpr const char* tower_of_64_pixels =
    ", vision: {layers: 2, hidden: 32, heads: 4, patches: {side: 4, image: 64}}";

std::string refusal(const std::string& vision, const std::string& batch,
                    const std::string& set = {}) {
  config::Value document =
      experiment("model: {transformer: {layers: 2, hidden: 64, heads: 4, vocabulary: 128" + vision +
                 "}}\ncluster: {node: dgx-h100, nodes: 1}\nbatch:\n  sequence: 128\n" + batch +
                 "parallel: {data: 8}\nschedule: 1f1b\n");
  if (!set.empty()) config::set_path(document, set);
  return error_of([&] { check_images(read_experiment(resolve(document, config::Catalogue()))); });
}

TEST(Images, what_fits_is_taken) {
  EXPECT_EQ(refusal(tower, "  images: 2\n  image_size: 32\n"), "no error");
  EXPECT_EQ(refusal(tower, ""), "no error");
}

TEST(Images, need_a_tower) {
  EXPECT_EQ(refusal("", "  images: 2\n"),
            "x.yaml:5:11: error: batch.images needs a model with a vision tower ('vision'), and "
            "this one has none that is known");
}

TEST(Images, are_as_wide_as_the_model_has_them) {
  EXPECT_EQ(refusal(tower, "  images: 2\n"),
            "x.yaml:5:11: error: batch.image_size says how many pixels wide images are: this model "
            "takes them as they come");
  EXPECT_EQ(refusal(tower_of_64_pixels, "  images: 2\n  image_size: 32\n"),
            "x.yaml:6:15: error: batch.image_size 32 must be 64: all images of this model are as "
            "wide");
  EXPECT_EQ(refusal(tower_of_64_pixels, "  images: 2\n", "batch.image_size=32"),
            "--set batch.image_size=32:1:1: error: batch.image_size 32 must be 64: all images of "
            "this model are as wide");
}

// 32 pixels are 8 x 8 patches, and 4 of them a token.
TEST(Images, fit_into_a_sequence) {
  EXPECT_EQ(
      refusal(tower, "  images: 9\n  image_size: 32\n"),
      "x.yaml:5:11: error: batch.images: 9 images of 32 pixels are 144 tokens, but a sequence "
      "has 128");
}

}  // namespace
}  // namespace pipewright::test
