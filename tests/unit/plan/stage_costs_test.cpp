#include "plan/stage_costs.hpp"

#include <gtest/gtest.h>

#include "support/model_jobs.hpp"

namespace pipewright::test {
namespace {

TEST(StageCosts, the_last_stage_has_the_head) {
  ModelJob job(small_gpt("parallel: {tensor: 8, pipeline: 2}\nschedule: 1f1b\n"));
  const schedule::StageCosts costs = stage_costs(job.cut(4));
  ASSERT_EQ(costs.forward.size(), 4u);
  EXPECT_EQ(costs.forward[1], costs.forward[2]);
  EXPECT_GT(costs.forward[3], costs.forward[2]);
  EXPECT_GT(costs.hop, Time{});
}

TEST(StageCosts, later_slices_see_more) {
  ModelJob job(small_gpt("parallel: {tensor: 8, pipeline: 2}\nschedule: 1f1b\n"));
  const schedule::StageCosts costs = stage_costs(job.cut(2));
  EXPECT_GT(costs.slice_cost(256, 768), costs.slice_cost(256, 0));
}

}  // namespace
}  // namespace pipewright::test
