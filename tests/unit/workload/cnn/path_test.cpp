#include "workload/cnn/path.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pipewright::cnn {
namespace {

CnnStep step(CnnStep::Kind kind, int64_t channels, int64_t window = 1, int64_t stride = 1) {
  CnnStep step;
  step.kind = kind;
  step.channels = channels;
  step.height = step.width = window;
  step.stride = stride;
  return step;
}

// A 3x3 window without padding at every second place of 9 by 9: 4 by 4 windows. A pool over all of
// them and a dense layer follow.
TEST(Path, each_layer_takes_the_image_that_the_one_before_made) {
  const CnnShape shape{.input = {2, 9, 9}, .layers = {}};
  Path path(shape, {});
  path.windowed(step(CnnStep::Kind::conv, 5, 3, 2));
  EXPECT_EQ(path.at(), (Image{5, 4, 4}));
  path.up_convolved(step(CnnStep::Kind::up_conv, 6, 2));
  EXPECT_EQ(path.at(), (Image{6, 8, 8}));
  path.pooled();
  EXPECT_EQ(path.at(), (Image{6, 1, 1}));
  path.flattened(step(CnnStep::Kind::dense, 10));
  EXPECT_EQ(path.at(), (Image{10, 1, 1}));
}

TEST(Path, only_the_first_product_has_no_gradient_of_its_input) {
  const CnnShape shape{.input = {2, 8, 8}, .layers = {}};
  Path path(shape, {});
  const CnnStep conv = step(CnnStep::Kind::conv, 2, 1);
  const auto products = [&] {
    const Operation operation = path.windowed(conv).back();
    return std::ranges::count(operation.input_gradient, Kernel::gemm, &Work::kernel);
  };
  EXPECT_EQ(products(), 0);
  EXPECT_EQ(products(), 1);
}

TEST(Path, attention_leaves_a_third_of_the_channels) {
  const CnnShape shape{.input = {12, 4, 4}, .layers = {}};
  Path path(shape, {});
  path.attended(step(CnnStep::Kind::attention, 2));
  EXPECT_EQ(path.at(), (Image{4, 4, 4}));
}

}  // namespace
}  // namespace pipewright::cnn
