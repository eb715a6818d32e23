#include "diagnose/tensor_groups.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

/// Neighbours of a job of four that name no traffic: forward from 0, backward from 500.
TorchTrace rank(const char* forward, const char* backward) {
  TorchTrace trace;
  trace.kernel("gemm", 0, 100, 0);
  trace.collective(forward, "undefined", "[0, 1]", 2, 100, 10, 100);
  trace.backward(500, 200, 1).kernel("gemm", 500, 100, 500);
  trace.collective(backward, "undefined", "[0, 1]", 2, 600, 10, 600);
  return trace;
}

Traffic traffic_in(const TorchTrace& trace) {
  const diagnose::DeviceWork work = work_of(trace, 4);
  for (const diagnose::DeviceOp& op : work.ops)
    if (op.communicates) return op.traffic;
  return Traffic::host;
}

TEST(TensorGroups, tensors_are_summed_in_forward_passes) {
  EXPECT_EQ(traffic_in(rank("allreduce", "allreduce")), Traffic::tensor);
  EXPECT_EQ(traffic_in(rank("_reduce_scatter_base", "_allgather_base")), Traffic::tensor);
}

TEST(TensorGroups, weights_are_gathered_and_gradients_summed_behind_them) {
  EXPECT_EQ(traffic_in(rank("_allgather_base", "_reduce_scatter_base")), Traffic::data);
}

TEST(TensorGroups, a_description_is_believed) {
  TorchTrace trace;
  trace.backward(0, 200, 1).kernel("gemm", 0, 100, 0);
  trace.collective("allreduce", "TENSOR_MODEL_PARALLEL_GROUP", "[0, 1]", 2, 100, 10, 100);
  EXPECT_EQ(traffic_in(trace), Traffic::tensor);
}

TEST(TensorGroups, without_backward_passes_neighbours_are_tensors) {
  TorchTrace trace;
  trace.kernel("gemm", 0, 100, 0).collective("_allgather_base", "", "[0, 1]", 2, 100, 10, 100);
  EXPECT_EQ(traffic_in(trace), Traffic::tensor);
}

}  // namespace
}  // namespace pipewright::test
