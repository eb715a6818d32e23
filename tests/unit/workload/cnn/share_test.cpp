// What one device has of images, counted by hand.
#include "workload/cnn/share.hpp"

#include <gtest/gtest.h>

namespace pipewright::cnn {
namespace {

TEST(CnnShare, IsOfTheTallestStrip) {
  const Share share{.dtype = DType::fp32, .gradients = DType::fp32, .samples = 4, .strips = 3};
  // Ten rows in three strips: 4, 3 and 3.
  EXPECT_EQ(share.local({2, 10, 5}), (Image{2, 4, 5}));
  // 4 samples of 2 x 4 x 5 numbers of 4 B.
  EXPECT_DOUBLE_EQ(share.bytes({2, 10, 5}), 640);
}

TEST(CnnShare, KeepsImagesInTheTypeOfActivations) {
  const Share share = make_share({.micro_batch = 8, .precision = DType::fp8});
  EXPECT_EQ(share.dtype, DType::bf16);
  EXPECT_EQ(share.samples, 8);
  EXPECT_EQ(share.micro_batch, 8);
  // Whole images, of 2 B a number; gradients of weights are added up in fp32.
  EXPECT_DOUBLE_EQ(share.bytes({3, 7, 7}), 8 * 3 * 7 * 7 * 2.0);
  EXPECT_DOUBLE_EQ(share.gradient_element(), 4);
}

TEST(CnnShare, StreamsWholeBytes) {
  const Share share = make_share({.precision = DType::fp16});
  const Work work = share.stream(Kernel::elementwise, Direction::forward, 100, 50);
  EXPECT_EQ(work.read.count, 100);
  EXPECT_EQ(work.written.count, 50);
  EXPECT_EQ(work.dtype, DType::fp16);
  EXPECT_EQ(work.flops, 0);
}

}  // namespace
}  // namespace pipewright::cnn
