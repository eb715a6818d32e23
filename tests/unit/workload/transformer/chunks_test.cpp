#include "workload/transformer/chunks.hpp"

#include <gtest/gtest.h>

#include "transformers.hpp"

namespace pipewright::transformer {
namespace {

const TransformerShape shape = test::gpt(1, 64, 4, 100);

TEST(Chunks, a_ragged_end_counts_as_whole_and_a_short_sequence_is_one) {
  const WorkloadOptions options{.micro_batch = 3, .sequence = 100};
  const Share share = make_share(shape, options, {});
  EXPECT_EQ(chunks_of(share, 64).count, 3 * 2);
  EXPECT_EQ(chunks_of(share, 64).length, 64);
  EXPECT_EQ(chunks_of(share, 256).count, 3);
  EXPECT_EQ(chunks_of(share, 256).length, 100);
}

// The backward pass makes again what is asked for, and two products for each.
TEST(Chunks, gradients_are_two_products_each) {
  const WorkloadOptions options{.sequence = 64};
  const Share share = make_share(shape, options, {});
  const ChunkProduct product{{2, 4, 8, 16}, 100, 60};
  const Operation operation =
      chunked(share, {.products = {product, product}, .again = {product}, .states = 10});
  double forward = 0, backward = 0;
  for (const Work& work : operation.forward) forward += work.flops;
  for (const Work& work : operation.input_gradient) backward += work.flops;
  const double one = 2.0 * 2 * 4 * 8 * 16;
  EXPECT_DOUBLE_EQ(forward, 2 * one);
  EXPECT_DOUBLE_EQ(backward, (2 * 2 + 1) * one);
  EXPECT_EQ(operation.input_gradient.back().read.count, 100 / 2 + 60);
}

TEST(Chunks, a_convolution_has_a_weight_a_tap_and_channel) {
  const WorkloadOptions options{.sequence = 64, .tensor = 2};
  const Share share = make_share(shape, options, {});
  const Operation operation = convolution(share, {.channels = 16, .taps = 4, .bias = true});
  EXPECT_DOUBLE_EQ(operation.device_parameters, 16 * 5);
  EXPECT_DOUBLE_EQ(operation.parameters, 32 * 5);
  EXPECT_DOUBLE_EQ(operation.forward.front().flops, 2.0 * 64 * 16 * 4);
}

}  // namespace
}  // namespace pipewright::transformer
