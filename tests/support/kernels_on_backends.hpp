// Tests of kernels that run on every backend; where there is no device they are skipped, with the
// reason.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "kernels/cuda.hpp"
#include "support/double_kernels.hpp"

namespace pipewright::test {

class OnBackends : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "cpu") {
      kernels = kernels::cpu_kernels();
      return;
    }
    try {
      kernels = kernels::cuda_kernels();
    } catch (const Failure& absent) {
      GTEST_SKIP() << absent.what();
    }
  }

  kernels::Array up(const Grid2& grid) { return upload(*kernels, grid); }
  Grid2 down(const kernels::Tensor& tensor) { return download(*kernels, tensor); }
  kernels::Array zeros(int64_t rows, int64_t columns) { return up(Grid2(rows, columns)); }

  std::unique_ptr<kernels::Kernels> kernels;
};

/// Every element, relative to the largest one.
inline void expect_close(const Grid2& got, const Grid2& expected, double tolerance) {
  ASSERT_EQ(got.values.size(), expected.values.size());
  double largest = 0;
  for (const double value : expected.values) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < got.values.size(); ++i)
    EXPECT_NEAR(got.values[i], expected.values[i], tolerance * largest) << "element " << i;
}

}  // namespace pipewright::test
