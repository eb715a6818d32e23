// Kernels of convolutional networks and LSTMs, against plain loops and central differences.
#include <gtest/gtest.h>

#include "support/kernels_on_backends.hpp"

namespace pipewright::test {
namespace {

using kernels::Array;
using kernels::WindowShape;

class LayerKernels : public OnBackends {};

void expect_near(const Grid2& got, const Grid2& expected, double tolerance) {
  ASSERT_EQ(got.values.size(), expected.values.size());
  for (size_t i = 0; i < got.values.size(); ++i)
    EXPECT_NEAR(got.values[i], expected.values[i], tolerance) << "element " << i;
}

// 2 samples of 5 x 6 places and 3 channels, windows of 3 x 2, two apart, padded.
const WindowShape windows{.samples = 2,
                          .height = 5,
                          .width = 6,
                          .channels = 3,
                          .window_height = 3,
                          .window_width = 2,
                          .stride = 2,
                          .pad_height = 1,
                          .pad_width = 1};

/// Calls with output row, place in the window, and row of the images for all that lie inside.
template <class F>
void for_each_inside(F&& body) {
  int64_t out = 0;
  for (int sample = 0; sample < 2; ++sample)
    for (int y = -1; y + 3 <= 5 + 1; y += 2)
      for (int x = -1; x + 2 <= 6 + 1; x += 2, ++out)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 2; ++j)
            if (y + i >= 0 && y + i < 5 && x + j >= 0 && x + j < 6)
              body(out, i * 2 + j, (sample * 5 + y + i) * 6 + x + j);
}

TEST_P(LayerKernels, patches_are_what_windows_see) {
  ASSERT_EQ(windows.out_rows(), 2 * 3 * 4);
  const Grid2 x = random_grid(windows.rows(), 3, 1);
  Grid2 expected(windows.out_rows(), windows.patch());
  for_each_inside([&](int64_t out, int place, int64_t row) {
    for (int c = 0; c < 3; ++c) expected.at(out, place * 3 + c) = x.at(row, c);
  });
  const Array patches = kernels->array(windows.out_rows(), windows.patch());
  kernels->unfold(windows, up(x), patches);
  expect_near(down(patches), expected, 0);
}

TEST_P(LayerKernels, folding_is_the_adjoint_of_unfolding) {
  const Grid2 x = random_grid(windows.rows(), 3, 1);
  const Grid2 y = random_grid(windows.out_rows(), windows.patch(), 2);
  const Array patches = kernels->array(y.rows, y.columns), dx = kernels->array(x.rows, x.columns);
  kernels->unfold(windows, up(x), patches);
  kernels->fold(windows, up(y), dx);
  EXPECT_NEAR(dot(down(patches), y), dot(x, down(dx)), 1e-4);
}

TEST_P(LayerKernels, pools_take_the_largest_and_its_gradient) {
  const Grid2 x = random_grid(windows.rows(), 3, 1), dy = random_grid(windows.out_rows(), 3, 2);
  const auto pooled = [](const Grid2& v) {
    Grid2 y(windows.out_rows(), 3);
    for (double& value : y.values) value = -1e9;
    for_each_inside([&](int64_t out, int, int64_t row) {
      for (int c = 0; c < 3; ++c) y.at(out, c) = std::max(y.at(out, c), v.at(row, c));
    });
    return y;
  };
  const Array y = kernels->array(dy.rows, 3), dx = kernels->array(x.rows, 3);
  kernels->max_pool(windows, up(x), y);
  kernels->max_pool_gradient(windows, up(x), up(dy), dx);
  expect_near(down(y), pooled(x), 0);
  expect_near(down(dx), gradient(pooled, x, dy), 1e-5);
}

TEST_P(LayerKernels, relu) {
  const Grid2 x = random_grid(5, 9, 1), dy = random_grid(5, 9, 2);
  const auto relu = [](Grid2 v) {
    for (double& value : v.values) value = std::max(value, 0.0);
    return v;
  };
  const Array y = kernels->array(5, 9), dx = kernels->array(5, 9);
  kernels->relu(up(x), y);
  kernels->relu_gradient(y, up(dy), dx);
  expect_near(down(y), relu(x), 0);
  expect_near(down(dx), gradient(relu, x, dy), 1e-5);
}

/// Cell and output side by side, from sums and the cell before side by side.
Grid2 double_cell(const Grid2& in) {
  const int64_t h = in.columns / 5;
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  Grid2 out(in.rows, 2 * h);
  for (int64_t r = 0; r < in.rows; ++r) {
    for (int64_t k = 0; k < h; ++k) {
      const double c = sigmoid(in.at(r, h + k)) * in.at(r, 4 * h + k) +
                       sigmoid(in.at(r, k)) * std::tanh(in.at(r, 2 * h + k));
      out.at(r, k) = c;
      out.at(r, h + k) = sigmoid(in.at(r, 3 * h + k)) * std::tanh(c);
    }
  }
  return out;
}

// Columns are cut out of wider arrays, as those of one token of several sequences are.
TEST_P(LayerKernels, lstm_cell) {
  constexpr int64_t h = 4;
  const Grid2 in = random_grid(3, 5 * h, 1), d_out = random_grid(3, 2 * h, 2);
  const Array all = up(in), out = kernels->array(3, 2 * h), d_in = up(in), carried = up(d_out);
  const kernels::Tensor gates = all.tensor.column_range(0, 4 * h);
  const kernels::Tensor c_before = all.tensor.column_range(4 * h, h);
  const kernels::Tensor c = out.tensor.column_range(0, h), y = out.tensor.column_range(h, h);
  kernels->lstm_cell(gates, c_before, c, y);
  expect_near(down(out), double_cell(in), 1e-6);
  const kernels::Tensor dc = carried.tensor.column_range(0, h);
  kernels->lstm_cell_gradient(gates, c_before, c, carried.tensor.column_range(h, h), dc,
                              d_in.tensor.column_range(0, 4 * h));
  kernels->copy(dc, d_in.tensor.column_range(4 * h, h));
  expect_near(down(d_in), gradient(double_cell, in, d_out), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Backends, LayerKernels, testing::Values("cpu", "cuda"),
                         [](const auto& backend) { return std::string(backend.param); });

}  // namespace
}  // namespace pipewright::test
