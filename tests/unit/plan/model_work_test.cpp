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

}  // namespace
}  // namespace pipewright::test
