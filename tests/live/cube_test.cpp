// The 3-D cut of a linear layer against one device.
#include "calibrate/train/parallel/cube.hpp"

#include <gtest/gtest.h>

#include "support/double_kernels.hpp"

namespace pipewright::test {
namespace {

using train::Array;
using train::Cube;
using train::CubeMatrix;
using train::Workers;
using Form = kernels::Kernels::Form;

void expect_same(const Grid2& got, const Grid2& expected) {
  ASSERT_EQ(got.values.size(), expected.values.size());
  for (size_t i = 0; i < got.values.size(); ++i)
    EXPECT_NEAR(got.values[i], expected.values[i], 1e-5) << "element " << i;
}

class CubeTest : public testing::TestWithParam<int> {};

TEST_P(CubeTest, its_three_products_are_those_of_one_device) {
  const int side = GetParam();
  const Cube c{side, 2 * side * side, 12, 4 * side * side};
  const auto kernels = kernels::cpu_kernels();
  const Array x = upload(*kernels, random_grid(c.m, c.k, 1));
  const Array w = upload(*kernels, random_grid(c.k, c.n, 2));
  const Array dy = upload(*kernels, random_grid(c.m, c.n, 3));
  const Array y = kernels->array(c.m, c.n), dx = kernels->array(c.m, c.k);
  const Array dw = kernels->array(c.k, c.n);
  kernels->multiply(x, Form::plain, w, Form::plain, y, false);
  kernels->multiply(dy, Form::plain, w, Form::transposed, dx, false);
  kernels->multiply(x, Form::transposed, dy, Form::plain, dw, false);

  const Workers xs = cut(c, CubeMatrix::x, *kernels, x), ws = cut(c, CubeMatrix::w, *kernels, w);
  const Workers dys = cut(c, CubeMatrix::y, *kernels, dy);
  const auto whole = [&](CubeMatrix which, const Workers& pieces) {
    return download(*kernels, join(c, which, *kernels, pieces));
  };
  expect_same(whole(CubeMatrix::y, cube_forward(c, *kernels, xs, ws)), download(*kernels, y));
  expect_same(whole(CubeMatrix::x, cube_input_gradient(c, *kernels, dys, ws)),
              download(*kernels, dx));
  expect_same(whole(CubeMatrix::w, cube_weight_gradient(c, *kernels, dys, xs)),
              download(*kernels, dw));
}

TEST_P(CubeTest, a_rank_holds_its_share_of_everything) {
  const Cube cube{GetParam(), 36, 36, 36};
  const auto kernels = kernels::cpu_kernels();
  const Array whole = upload(*kernels, random_grid(36, 36, 1));
  for (const CubeMatrix which : {CubeMatrix::x, CubeMatrix::w, CubeMatrix::y})
    for (const Array& piece : cut(cube, which, *kernels, whole))
      EXPECT_EQ(piece.tensor.size() * cube.ranks(), 36 * 36);
}

INSTANTIATE_TEST_SUITE_P(Sides, CubeTest, testing::Values(1, 2, 3));

}  // namespace
}  // namespace pipewright::test
