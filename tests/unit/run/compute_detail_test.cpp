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

}  // namespace
}  // namespace pipewright::test
