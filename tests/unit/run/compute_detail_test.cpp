#include "run/compute_detail.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

ComputeDetail detail_of(const config::Value& document) {
  return run(document).result.metrics.detail;
}

const char* const on_four_stages = "parallel: {tensor: 1, pipeline: 4, data: 4}\nschedule: 1f1b\n";

TEST(ComputeDetail, layers_of_a_stage_have_their_names_and_take_alike) {
  const ComputeDetail detail = detail_of(small_gpt(on_four_stages));
  std::vector<LayerTime> blocks;
  std::ranges::copy_if(detail.layers, std::back_inserter(blocks),
                       [](const LayerTime& layer) { return layer.name.starts_with("block"); });
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_NEAR(blocks[0].forward_s, blocks[1].forward_s, 1e-9 * blocks[0].forward_s);
  EXPECT_GT(blocks[0].parameters, 0);
}

// 8 micro-batches, F 1 ms and B 2 ms.
TEST(ComputeDetail, a_synthetic_stage_is_one_row) {
  const ComputeDetail detail = detail_of(four_ranks("1f1b"));
  ASSERT_EQ(detail.layers.size(), 1u);
  EXPECT_NEAR(detail.layers[0].forward_s, 8e-3, 1e-12);
  EXPECT_NEAR(detail.layers[0].backward_s, 16e-3, 1e-12);
  ASSERT_EQ(detail.kernels.size(), 1u);
  EXPECT_EQ(detail.kernels[0].count, 16);
}

TEST(ComputeDetail, attention_runs_once_a_layer_and_micro_batch_each_way) {
  const ComputeDetail detail = detail_of(small_gpt(on_four_stages));
  int64_t count = 0;
  for (const KernelTime& kernel : detail.kernels)
    if (kernel.kernel == "attention") count += kernel.count;
  EXPECT_EQ(count, 2 * 2 * 16);
}

/// 2 x the product of the numbers of "4096x1536x2048 bf16".
double product_flops(const std::string& shape) {
  double flops = 2;
  for (size_t at = 0; at < shape.find(' ');) {
    size_t digits = 0;
    flops *= std::stod(shape.substr(at), &digits);
    at += digits + 1;
  }
  return flops;
}

// An A100 does 312 TFLOP/s in bf16.
TEST(ComputeDetail, no_product_is_faster_than_the_device) {
  const ComputeDetail detail = detail_of(experiment(
      "model: {transformer: {layers: 2, hidden: 1024, heads: 16, ffn: 2048, vocabulary: 8192,\n"
      "  gated: true, experts: {count: 16, active: 4, ffn: 2048}}}\n"
      "cluster: {node: dgx-a100-80g, nodes: 1}\n"
      "batch: {global: 16, micro: 2, sequence: 1024}\nschedule: 1f1b\n"));
  for (const KernelTime& kernel : detail.kernels) {
    if (kernel.kernel != "gemm") continue;
    EXPECT_LE(product_flops(kernel.shape) * static_cast<double>(kernel.count) / kernel.time_s,
              312e12)
        << kernel.shape << ", " << kernel.count;
  }
}

// A host starts a kernel in microseconds. 512 experts make so many that the passes wait for it, but
// not those kernels of them that are long.
TEST(ComputeDetail, a_long_kernel_does_not_wait_for_its_launch) {
  const ComputeDetail detail = detail_of(experiment(
      "model: {transformer: {layers: 2, hidden: 1024, heads: 32, head_dim: 128, ffn: 2048,\n"
      "  vocabulary: 8192, gated: true, experts: {count: 512, active: 1, ffn: 64}}}\n"
      "cluster: {node: dgx-h100, nodes: 1}\n"
      "batch: {global: 16, micro: 1, sequence: 4096}\nschedule: 1f1b\n"));
  const auto waits = [](const KernelTime& one) { return one.bound == KernelBound::launch; };
  EXPECT_TRUE(std::ranges::any_of(detail.kernels, waits));
  for (const KernelTime& kernel : detail.kernels)
    EXPECT_FALSE(waits(kernel) && kernel.time_s > 100e-6 * static_cast<double>(kernel.count))
        << kernel.kernel << ' ' << kernel.shape;
}

}  // namespace
}  // namespace pipewright::test
