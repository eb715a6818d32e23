#include "plan/model_work.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "schedule/kinds/kinds.hpp"
#include "support/model_jobs.hpp"

namespace pipewright::test {
namespace {

ModelWork work_with(const std::string& rest) {
  ModelJob job(small_gpt("parallel: {tensor: 8, pipeline: 2}\nschedule: 1f1b\n" + rest));
  return model_work(job.cut(2),
                    schedule::build({.ranks = 2, .micro_batches = 64}, config::scalar("1f1b")));
}

TEST(ModelWork, counts_what_an_iteration_does) {
  const ModelWork work = work_with("");
  EXPECT_EQ(work.layers, (std::vector<int>{4, 4}));
  EXPECT_EQ(work.samples, 64);
  EXPECT_EQ(work.tokens, 64 * 1024);
  EXPECT_EQ(work.hardware_flops, work.model_flops);
  EXPECT_EQ(work.static_memory.size(), 2u);
  EXPECT_EQ(work.updates.size(), 2u);
  EXPECT_TRUE(work.sharded.stages.empty());
  EXPECT_TRUE(work.offloaded.stages.empty());
}

TEST(ModelWork, recomputation_is_the_hardware_s_work) {
  const ModelWork work = work_with("recompute: full\n");
  EXPECT_EQ(work.model_flops, work_with("").model_flops);
  EXPECT_GT(work.hardware_flops, 1.2 * work.model_flops);
}

TEST(ModelWork, stages_say_what_they_leave_on_the_host) {
  EXPECT_EQ(work_with("offload: activations\n").offloaded.stages.size(), 2u);
}

// arXiv 2106.09685: gradients and their sums are those of adapters; the rest of the backward pass
// is as long as the forward pass.
TEST(ModelWork, adapters_alone_have_gradients_to_sum) {
  const ModelWork all = work_with(""), adapted = work_with("adapters: 8\n");
  EXPECT_DOUBLE_EQ(adapted.model_flops, all.model_flops * 2 / 3);
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_LT(adapted.static_memory[k].gradients.count, all.static_memory[k].gradients.count / 20);
    EXPECT_EQ(adapted.static_memory[k].optimizer.count,
              3 * adapted.static_memory[k].gradients.count);
    EXPECT_GT(adapted.static_memory[k].weights, all.static_memory[k].weights);
  }
}

}  // namespace
}  // namespace pipewright::test
