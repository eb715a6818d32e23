#include "plan/stage_builder.hpp"

#include <gtest/gtest.h>

#include "plan/stage_layers.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/model_jobs.hpp"

namespace pipewright::test {
namespace {

TEST(StageBuilder, neighbours_exchange_as_much_both_ways) {
  ModelJob job(small_gpt(two_stages));
  const StagedModel model = job.cut(2);
  const StageBuilder builder(model);
  EXPECT_EQ(builder.stage(0).forward_output, builder.stage(1).backward_output);
  EXPECT_EQ(builder.stage(0).backward_output, Bytes{});
}

TEST(StageBuilder, slices_share_the_work_of_their_stage) {
  ModelJob job(small_gpt(two_stages));
  const StagedModel model = job.cut(2);
  const schedule::Schedule sliced = schedule::build(
      {.ranks = 2, .micro_batches = 4}, config::parse("{name: terapipe, slices: 2}", "x.yaml"));
  const std::vector<StageWork> slices = StageBuilder(model).stages(sliced);
  ASSERT_EQ(slices.size(), 4u);
  const double whole = flops_of(StageBuilder(model).stage(1).forward);
  EXPECT_NEAR(flops_of(slices[2].forward) + flops_of(slices[3].forward), whole, 1e-9 * whole);
}

TEST(StageBuilder, resharded_outputs_are_whole) {
  ModelJob job(unlike_stages());
  const StagedModel model = job.cut(2);
  EXPECT_EQ(StageBuilder(model).stage(0).forward_output, model.resharded(1));
  EXPECT_EQ(StageBuilder(model).stage(1).backward_output, model.resharded(1));
}

}  // namespace
}  // namespace pipewright::test
