#include "run/vary.hpp"

#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// The quantiles of twenty-one seeds, so many at a time.
Quantiles varied(int jobs, uint64_t seed) {
  const Run run = run_experiment(small_gpt("parallel: {pipeline: 4}\nschedule: 1f1b\n"
                                           "variation: {compute_spread: 5%, seeds: 21}\n"),
                                 config::Catalogue{}, {.seed = seed, .jobs = jobs});
  return *run.result.ranges.variation;
}

TEST(Vary, finds_the_same_whatever_runs_at_once) {
  const Quantiles one = varied(1, 3);
  for (const int jobs : {2, 5, 0}) {
    const Quantiles many = varied(jobs, 3);
    EXPECT_EQ(many.p10, one.p10) << jobs;
    EXPECT_EQ(many.p50, one.p50) << jobs;
    EXPECT_EQ(many.p90, one.p90) << jobs;
    EXPECT_EQ(many.p95, one.p95) << jobs;
  }
  EXPECT_LT(one.p10, one.p90);
  EXPECT_NE(varied(1, 4).p50, one.p50);
}

// Law: chips and kernels belong to devices, not to what is simulated of them.
TEST(Vary, draws_the_same_whether_ranks_are_folded_or_not) {
  for (const char* spreads : {"compute_spread: 3%", "compute_spread: 0%, kernel_spread: 2%"}) {
    const auto varied_with = [&](bool fold) {
      const auto run =
          run_experiment(small_gpt("parallel: {tensor: 2, pipeline: 2}\nschedule: 1f1b\n"
                                   "variation: {" +
                                   std::string(spreads) + ", seeds: 5}\n"),
                         config::Catalogue{}, {.fold = fold, .fold_micro_batches = fold});
      return *run.result.ranges.variation;
    };
    const Quantiles folded = varied_with(true), all = varied_with(false);
    EXPECT_EQ(folded.p10, all.p10) << spreads;
    EXPECT_EQ(folded.p50, all.p50) << spreads;
    EXPECT_EQ(folded.p95, all.p95) << spreads;
  }
}

TEST(Vary, ends_where_its_caller_wants_no_more) {
  const std::atomic<bool> stop = true;
  EXPECT_ANY_THROW(
      run_experiment(small_gpt("schedule: 1f1b\nvariation: {compute_spread: 5%, seeds: 2}\n"),
                     config::Catalogue{}, {.stop = &stop}));
}

TEST(Quantile, lies_in_proportion_between_its_neighbours) {
  const std::vector<Time> sorted = {Time{0}, Time{10}, Time{30}};
  EXPECT_EQ(quantile(sorted, 0), Time{0});
  EXPECT_EQ(quantile(sorted, 0.25), Time{5});
  EXPECT_EQ(quantile(sorted, 0.75), Time{20});
  EXPECT_EQ(quantile(sorted, 1), Time{30});
}

}  // namespace
}  // namespace pipewright::test
