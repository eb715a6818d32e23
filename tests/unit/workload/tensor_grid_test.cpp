// Layers over squares and cubes of devices: the closed forms of their papers.
#include "workload/tensor_grid.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "kernel_sums.hpp"
#include "transformers.hpp"

namespace pipewright::test::tensor_grid {
namespace {

// 16 sequences of 32 tokens, h = 64 in 8 heads, f = 256, fp32: e = 4 bytes everywhere.
constexpr double M = 16 * 32, h = 64, f = 256, e = 4;
/// The linear layers of a block: m n k summed, and the numbers of their inputs, outputs, weights.
constexpr double products = M * (3 * h * h + h * h + 2 * h * f);
constexpr double inputs = M * (h + h + h + f), outputs = M * (3 * h + h + f + h);
constexpr double weights = 3 * h * h + h * h + 2 * h * f;

constexpr TensorGrid square{TensorKind::square, {2, 2, 1}};
constexpr TensorGrid layered{TensorKind::layered, {2, 2, 2}};
constexpr TensorGrid cube{TensorKind::cube, {2, 2, 2}};

Layer block_on(const TensorGrid& grid, int tensor) {
  WorkloadOptions options{.micro_batch = 16, .sequence = 32, .tensor = tensor};
  options.tensor_grid = grid;
  options.precision = options.gradients = DType::fp32;
  return layers_of(gpt(1, 64, 8, 512), options)[1];
}

double bytes_over(const Segments& segments, CollectiveKind kind, Axis axis) {
  double sum = 0;
  for (const Segment& segment : segments)
    if (segment.collective && segment.collective->kind == kind && segment.collective->axis == axis)
      sum += static_cast<double>(segment.collective->bytes.count);
  return sum;
}

// Every device does 1 / t of the products, in every pass.
TEST(TensorGrid, products_are_shared_evenly) {
  for (const auto& [grid, t] : {std::pair(square, 4), {layered, 8}, {cube, 8}}) {
    const Layer block = block_on(grid, t);
    EXPECT_DOUBLE_EQ(kernel_flops(block.forward, Kernel::gemm), 2 * products / t);
    EXPECT_DOUBLE_EQ(kernel_flops(block.input_gradient, Kernel::gemm), 2 * products / t);
    EXPECT_DOUBLE_EQ(kernel_flops(block.weight_gradient, Kernel::gemm), 2 * products / t);
  }
}

// SUMMA on q x q: q broadcasts of a block of 1 / q^2 of X and of W, so 1 / q of each.
TEST(TensorGrid, a_square_broadcasts_a_qth_of_inputs_and_weights) {
  const Layer block = block_on(square, 4);
  const auto broadcast = CollectiveKind::broadcast, reduce = CollectiveKind::reduce;
  EXPECT_EQ(bytes_over(block.forward, broadcast, Axis::tensor_row), e * inputs / 2);
  EXPECT_EQ(bytes_over(block.forward, broadcast, Axis::tensor_column), e * weights / 2);
  EXPECT_EQ(bytes_over(block.input_gradient, broadcast, Axis::tensor_column), e * weights / 2);
  EXPECT_EQ(bytes_over(block.input_gradient, reduce, Axis::tensor_row), e * inputs / 2);
  EXPECT_EQ(bytes_over(block.weight_gradient, broadcast, Axis::tensor_row), e * inputs / 2);
  EXPECT_EQ(bytes_over(block.weight_gradient, reduce, Axis::tensor_column), e * weights / 2);
}

// d = 2 squares of q = 2: half the rows each, the same weights, whose gradients are summed.
TEST(TensorGrid, layers_of_squares_cut_the_rows_and_sum_the_gradients) {
  const Layer block = block_on(layered, 8);
  const auto broadcast = CollectiveKind::broadcast;
  EXPECT_EQ(bytes_over(block.forward, broadcast, Axis::tensor_row), e * inputs / 2 / 2);
  EXPECT_EQ(bytes_over(block.forward, broadcast, Axis::tensor_column), e * weights / 2);
  EXPECT_EQ(bytes_over(block.weight_gradient, CollectiveKind::all_reduce, Axis::tensor_depth),
            e * weights / 4);
}

// arXiv 2105.14450 on l^3: X, W and Y as whole buffers of 1 / l^2; of inputs those of the first and
// third product are gathered along the second side, the others along the third.
TEST(TensorGrid, a_cube_gathers_and_scatters_an_lth_squared) {
  const Layer block = block_on(cube, 8);
  const auto gather = CollectiveKind::all_gather, scatter = CollectiveKind::reduce_scatter;
  EXPECT_EQ(bytes_over(block.forward, gather, Axis::tensor_row), e * weights / 4);
  EXPECT_EQ(bytes_over(block.forward, gather, Axis::tensor_column), e * M * (h + h) / 4);
  EXPECT_EQ(bytes_over(block.forward, gather, Axis::tensor_depth), e * M * (h + f) / 4);
  EXPECT_EQ(bytes_over(block.forward, scatter, Axis::tensor_depth), e * M * (3 * h + f) / 4);
  EXPECT_EQ(bytes_over(block.forward, scatter, Axis::tensor_column), e * M * (h + h) / 4);
  EXPECT_EQ(bytes_over(block.weight_gradient, scatter, Axis::tensor_row), e * weights / 4);
  EXPECT_EQ(bytes_over(block.input_gradient, gather, Axis::tensor_depth) +
                bytes_over(block.input_gradient, gather, Axis::tensor_column),
            e * outputs / 4);
  EXPECT_EQ(bytes_over(block.input_gradient, scatter, Axis::tensor_depth) +
                bytes_over(block.input_gradient, scatter, Axis::tensor_column),
            e * inputs / 4);
}

// Weights: 1 / q^2 of a square, also of each of several; 1 / l^3 of a cube. Vectors are whole.
TEST(TensorGrid, weights_are_cut_as_often_as_there_are_devices_in_a_square_or_cube) {
  const double vectors = 4 * h;  // two norms
  const double biases = 3 * h + h + f + h;
  EXPECT_DOUBLE_EQ(block_on(square, 4).device_parameters, weights / 4 + vectors + biases / 2);
  EXPECT_DOUBLE_EQ(block_on(layered, 8).device_parameters, weights / 4 + vectors + biases / 2);
  EXPECT_DOUBLE_EQ(block_on(cube, 8).device_parameters, weights / 8 + vectors + biases / 2);
}

TEST(TensorGrid, what_leaves_a_layer_is_cut_over_all_devices) {
  EXPECT_EQ(block_on(square, 4).output.count, static_cast<int64_t>(e * M * h / 4));
  EXPECT_EQ(block_on(cube, 8).output.count, static_cast<int64_t>(e * M * h / 8));
}

TEST(TensorGrid, sides_must_divide_sequences_and_heads) {
  const auto error = [](int64_t micro_batch, int64_t heads) {
    WorkloadOptions options{.micro_batch = micro_batch, .sequence = 32, .tensor = 8};
    options.tensor_grid = cube;
    return error_of([&] { layers_of(gpt(1, 64, heads, 512), options); });
  };
  EXPECT_TRUE(
      error(6, 8).ends_with("this tensor_kind cuts batch.micro 6 in 4: it must be a multiple"));
  EXPECT_TRUE(
      error(4, 1).ends_with("this tensor_kind cuts kv_heads 1 in 2: it must be a multiple"));
}

}  // namespace
}  // namespace pipewright::test::tensor_grid
