#include "run/kernel_shape.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(KernelShape, a_single_gemm_leaves_its_batch_out) {
  Work work{.kernel = Kernel::gemm, .dtype = DType::bf16};
  work.shape = {1, 8192, 1024, 4096};
  EXPECT_EQ(shape_name(work), "8192x1024x4096 bf16");
  work.shape[0] = 16;
  EXPECT_EQ(shape_name(work), "16x8192x1024x4096 bf16");
}

TEST(KernelShape, a_gradient_says_which) {
  Work work{.kernel = Kernel::gemm, .dtype = DType::bf16, .direction = Direction::weight_gradient};
  work.shape = {1, 2, 3, 4};
  EXPECT_EQ(shape_name(work), "2x3x4 bf16 weight gradient");
}

TEST(KernelShape, without_a_shape_it_is_the_bytes_that_move) {
  Work work{.kernel = Kernel::elementwise, .dtype = DType::fp16};
  work.read = Bytes{100};
  work.written = Bytes{28};
  EXPECT_EQ(shape_name(work), "128 B fp16");
}

}  // namespace
}  // namespace pipewright
