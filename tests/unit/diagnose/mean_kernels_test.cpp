#include "diagnose/mean_kernels.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

// 1 and 2 s are 1.5 s on the mean; a kernel of one rank alone takes half of its time.
TEST(MeanKernels, are_those_of_all_ranks) {
  const auto mean = diagnose::mean_kernels({{{"gemm", 1}}, {{"gemm", 2}, {"norm", 1}}});
  ASSERT_EQ(mean.size(), 2u);
  EXPECT_EQ(mean[0].name, "gemm");
  EXPECT_DOUBLE_EQ(mean[0].measured_s, 1.5);
  EXPECT_EQ(mean[1].name, "norm");
  EXPECT_DOUBLE_EQ(mean[1].measured_s, 0.5);
  EXPECT_TRUE(diagnose::mean_kernels({}).empty());
}

}  // namespace
}  // namespace pipewright::test
