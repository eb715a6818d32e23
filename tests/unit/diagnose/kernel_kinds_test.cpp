#include <gtest/gtest.h>

#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

TEST(KernelKinds, names_of_libraries_are_known_and_summed) {
  TorchTrace trace;
  trace.kernel("sm90_xmma_gemm_bf16", 0, 10, 0).kernel("nvjet_tst_128", 10, 5, 0);
  trace.kernel("flash_fwd_kernel", 15, 4, 0)
      .kernel("at::native::multi_tensor_apply_kernel", 20, 3, 0);
  trace.kernel("what is this", 30, 1, 0);
  trace.collective("allreduce", "mesh_tp", "[0, 1]", 2, 40, 9, 0);
  const RankProfile profile = profile_of(trace, 0, 2);
  const auto found = diagnose::kernel_kinds(profile, diagnose::device_work(profile), 0);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].kind, "gemm");
  EXPECT_NEAR(found[0].measured_s, 15e-6, 1e-12);
  EXPECT_EQ(found[1].kind, "attention");
  EXPECT_EQ(found[2].kind, "optimizer");
  EXPECT_EQ(found[3].kind, "other");
}

}  // namespace
}  // namespace pipewright::test
