#include "interop/nccl_kind.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using interop::nccl_kind;
using interop::NcclKind;

TEST(NcclKind, kernels_and_calls_of_one_kind_are_one) {
  EXPECT_EQ(nccl_kind("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgs)"),
            nccl_kind("_reduce_scatter_base"));
  EXPECT_EQ(nccl_kind("ncclKernel_AllGather_RING_LL_Sum_int8_t"), nccl_kind("AllGather"));
  EXPECT_EQ(nccl_kind("ncclDevKernel_SendRecv"), nccl_kind("all_to_allv"));
  EXPECT_EQ(nccl_kind("barrier"), NcclKind::all_reduce);
  EXPECT_EQ(nccl_kind("ncclDevKernel_Reduce_Sum_f32"), NcclKind::reduce);
}

TEST(NcclKind, what_no_name_says_may_be_any) {
  EXPECT_EQ(nccl_kind("ncclDevKernel_Generic"), NcclKind::unknown);
  EXPECT_TRUE(interop::may_be(NcclKind::unknown, NcclKind::reduce));
  EXPECT_FALSE(interop::may_be(NcclKind::messages, NcclKind::reduce));
}

}  // namespace
}  // namespace pipewright::test
