// Runs of a transformer on a cube of tensor-parallel ranks.
#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

// The last of a backward pass is a reduce-scatter along the cube that completes gradients: those
// are reduced over the replicas after it. All ranks do the same at the same time.
TEST(TensorCube, gradients_are_reduced_over_replicas_when_they_have_come_together) {
  for (const char* schedule : {"gpipe", "zb-h1"}) {
    const pipewright::Run result = run(
        experiment("model: {transformer: {layers: 2, hidden: 32, heads: 4, ffn: 64, vocabulary: "
                   "64}}\n"
                   "cluster: {devices: 16, device: {flops: {fp32: 1 TFLOP/s}, memory: 1 GiB,\n"
                   "          memory_bandwidth: 10 GB/s}, link: {latency: 5 us, bandwidth: 1 "
                   "GB/s}}\n"
                   "parallel: {tensor: 8, tensor_kind: 3d, data: 2}\n"
                   "batch: {global: 8, micro: 4, sequence: 16}\nprecision: fp32\nschedule: " +
                   std::string(schedule) + "\n"),
        false);
    Time together, first = longest_time;
    for (OpId op = 0; op < result.program.ops.size(); ++op) {
      const OpType& type = result.program.type(op);
      if (type.kind != OpKind::collective) continue;
      const Span& span = result.timeline.spans[op];
      if (type.traffic == Traffic::tensor) together = std::max(together, span.end);
      if (type.traffic == Traffic::data) first = std::min(first, span.start);
    }
    EXPECT_GT(together, Time{}) << schedule;
    EXPECT_LT(first, longest_time) << schedule;
    EXPECT_GE(first, together) << schedule;
  }
}

}  // namespace
}  // namespace pipewright::test
