#include "run/uncertainty.hpp"

#include <gtest/gtest.h>

#include "experiments.hpp"

namespace pipewright::test {
namespace {

const char* const plan = "parallel: {tensor: 2, pipeline: 2}\nschedule: 1f1b\nprecision: bf16\n";

void expect_range(const RunResult& result) {
  ASSERT_TRUE(result.ranges.uncertainty);
  EXPECT_LT(result.ranges.uncertainty->p10, result.metrics.iteration);
  EXPECT_GT(result.ranges.uncertainty->p90, result.metrics.iteration);
  EXPECT_FALSE(result.ranges.uncertainty->basis.empty());
}

TEST(Uncertainty, every_run_has_a_range_around_its_time) {
  expect_range(run(small_gpt(plan)).result);
  expect_range(run(four_ranks("1f1b")).result);
}

TEST(Uncertainty, its_regime_says_what_ran) {
  const Regime regime = run(small_gpt(plan)).result.ranges.uncertainty->regime;
  EXPECT_EQ(regime.framework, "megatron");
  EXPECT_EQ(regime.precision, "bf16");
  EXPECT_EQ(regime.nodes, 2);
  EXPECT_LT(regime.datasheet, 1);
  EXPECT_EQ(run(four_ranks("1f1b")).result.ranges.uncertainty->regime.framework, "given");
}

TEST(Uncertainty, folded_is_unfolded) {
  const auto folded = run(small_gpt(plan)).result.ranges.uncertainty,
             all = run(small_gpt(plan), false).result.ranges.uncertainty;
  ASSERT_TRUE(folded && all);
  EXPECT_EQ(folded->extrapolated_ops, all->extrapolated_ops);
  EXPECT_NEAR(in_seconds(folded->p90), in_seconds(all->p90), 1e-6);
}

}  // namespace
}  // namespace pipewright::test
