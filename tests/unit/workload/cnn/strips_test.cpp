// Images of convolutional networks cut into strips of rows.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"
#include "workload/cnn/cnn.hpp"

namespace pipewright::test {
namespace {

std::vector<Layer> cut(const std::string& layers, int64_t strips) {
  const config::Value value = config::parse("{input: [2, 8, 8], layers: " + layers + "}", "x.yaml");
  WorkloadOptions options{.micro_batch = 4, .precision = DType::fp32};
  options.context = options.context_split.strips = strips;
  return cnn_layers(read_cnn(value), options, value);
}

const Work& product(const Segments& segments) {
  for (const Segment& segment : segments)
    for (const Work& work : segment.kernels)
      if (work.kernel == Kernel::gemm) return work;
  throw std::logic_error("no product");
}

// 8 rows in two strips: each device makes 4 of them and needs one row from its neighbour, of 4
// samples with 8 places in 2 and, in the second layer, 5 channels. One in the middle would need
// two.
TEST(Strips, neighbours_exchange_the_rows_that_a_window_reaches_over) {
  const auto layers = cut("[conv 5 3x3, conv 5 3x3, dense 7]", 2);
  EXPECT_EQ(product(layers[1].forward).shape, (std::array<int64_t, 4>{1, 4 * 4 * 8, 5, 5 * 9}));
  EXPECT_EQ(product(layers[1].weight_gradient).shape,
            (std::array<int64_t, 4>{1, 5, 5 * 9, 4 * 4 * 8}));
  const auto forward = collectives(layers[1].forward);
  ASSERT_EQ(forward.size(), 1u);
  EXPECT_EQ(forward[0].kind, CollectiveKind::shift);
  EXPECT_EQ(forward[0].axis, Axis::context);
  EXPECT_EQ(forward[0].bytes.count, 4 * 4 * 5 * 2 * 8);
  EXPECT_TRUE(layers[1].forward.front().kernels.empty());  // before it computes
  const auto backward = collectives(layers[1].input_gradient);
  ASSERT_EQ(backward.size(), 1u);
  EXPECT_EQ(backward[0].bytes, forward[0].bytes);
  EXPECT_TRUE(layers[1].input_gradient.back().collective);  // after it
}

TEST(Strips, images_need_no_gradient_so_their_rows_do_not_go_home) {
  EXPECT_TRUE(collectives(cut("[conv 5 3x3, dense 7]", 2)[0].input_gradient).empty());
}

// 7 rows that move by 2, padded by 3: 3 rows above, 7 - 3 - 2 below.
TEST(Strips, a_window_that_moves_by_more_reaches_over_less) {
  const auto forward = collectives(cut("[conv 5 7x7 /2, dense 7]", 2)[0].forward);
  ASSERT_EQ(forward.size(), 1u);
  EXPECT_EQ(forward[0].bytes.count, 4 * 4 * 2 * (3 + 2) * 8);
}

TEST(Strips, windows_that_stay_within_a_strip_need_nothing) {
  const auto layers = cut("[conv 5 1x1, max-pool 2x2 /2, dense 7]", 2);
  EXPECT_TRUE(collectives(layers[0].forward).empty());
  EXPECT_TRUE(collectives(layers[1].forward).empty());
}

// 6 rows in strips of 3, and windows of 2 that move by 2: the second begins in the last row of the
// first strip, and is the other one's.
TEST(Strips, rows_that_do_not_divide_go_to_a_neighbour) {
  const auto forward =
      collectives(cut("[conv 5 3x3 valid, max-pool 2x2 /2, dense 7]", 2)[1].forward);
  ASSERT_EQ(forward.size(), 1u);
  EXPECT_EQ(forward[0].kind, CollectiveKind::shift);
  EXPECT_EQ(forward[0].bytes.count, 4 * 4 * 5 * 1 * 6);
}

// Of 4 samples with 5 x 4 x 8 numbers in a strip, a device of two keeps 2 samples whole.
TEST(Strips, dense_layers_share_out_samples) {
  const auto layers = cut("[conv 5 1x1, dense 7]", 2);
  EXPECT_EQ(product(layers[1].forward).shape, (std::array<int64_t, 4>{1, 2, 7, 5 * 64}));
  const auto forward = collectives(layers[1].forward);
  ASSERT_EQ(forward.size(), 1u);
  EXPECT_EQ(forward[0].kind, CollectiveKind::all_to_all);
  EXPECT_EQ(forward[0].bytes.count, 4 * 4 * 5 * 4 * 8);
}

TEST(Strips, sums_over_all_places_are_added_up_and_shared_out) {
  const auto layers = cut("[conv 5 1x1, global-pool, dense 7]", 2);
  const auto forward = collectives(layers[1].forward);
  const auto backward = collectives(layers[1].input_gradient);
  ASSERT_EQ(forward.size(), 1u);
  EXPECT_EQ(forward[0].kind, CollectiveKind::reduce_scatter);
  EXPECT_EQ(forward[0].bytes.count, 4 * 4 * 5);
  ASSERT_EQ(backward.size(), 1u);
  EXPECT_EQ(backward[0].kind, CollectiveKind::all_gather);
  EXPECT_TRUE(collectives(layers[2].forward).empty());
}

TEST(Strips, the_model_stays_what_it_is) {
  const auto whole = cut("[conv 5 3x3, max-pool 2x2 /2, dense 7]", 1);
  const auto strips = cut("[conv 5 3x3, max-pool 2x2 /2, dense 7]", 4);
  for (size_t k = 0; k < whole.size(); ++k) {
    EXPECT_EQ(strips[k].model_flops, whole[k].model_flops);
    EXPECT_EQ(strips[k].device_parameters, whole[k].parameters);
  }
  EXPECT_EQ(strips[0].output.count * 4, whole[0].output.count);
}

TEST(Strips, what_cannot_be_cut_is_refused) {
  const auto error = [](const char* layers, int64_t strips) {
    return error_of([&] { cut(layers, strips); });
  };
  EXPECT_EQ(error("[conv 5 5x5, dense 7]", 8),
            "x.yaml:1:29: error: 8 rows are too few for 8 strips under a window of 5");
  EXPECT_EQ(error("[conv 6 1x1, attention 1, dense 7]", 2),
            "x.yaml:1:41: error: attention joins all places of an image: parallel.spatial must be "
            "1");
}

}  // namespace
}  // namespace pipewright::test
