#include "workload/work.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(Work, kernels_have_names) {
  EXPECT_EQ(name_of(Kernel::fixed), "fixed");
  EXPECT_EQ(name_of(Kernel::gemm), "gemm");
  EXPECT_EQ(name_of(Kernel::fused_loss), "fused_loss");
}

}  // namespace
}  // namespace pipewright
