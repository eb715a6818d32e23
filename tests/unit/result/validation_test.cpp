#include "result/validation.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pipewright {
namespace {

ValidationRun run(const char* name, const char* group, double predicted, double measured) {
  return {.name = name,
          .group = group,
          .measured = {.iteration_time_s = measured},
          .predicted = Outcome{.iteration_time_s = predicted,
                               .samples_per_s = 1 / predicted,
                               .peak_memory_bytes = 9e9,
                               .feasible = true}};
}

TEST(Validation, errors_of_a_group_are_percentiles_of_their_size) {
  // Errors of -10, +20 and +30 %: median 20 %, 90th percentile 20 + 0.8 x 10 %, mean 20 %.
  const Validation v =
      validation_of({run("a", "g", 0.9, 1), run("b", "g", 2.4, 2), run("c", "g", 5.2, 4)});
  ASSERT_EQ(v.groups.size(), 1u);
  const Accuracy& g = v.groups[0].accuracy;
  EXPECT_EQ(g.runs, 3);
  EXPECT_NEAR(*g.median_abs_error, 0.2, 1e-12);
  EXPECT_NEAR(*g.p90_abs_error, 0.28, 1e-12);
  EXPECT_NEAR(*g.mean_abs_error, 0.2, 1e-12);
  EXPECT_NEAR(*v.runs[0].error(), -0.1, 1e-12);
}

TEST(Validation, over_everything_each_group_weighs_one) {
  // Medians: 10 % of three runs, 30 % of one.
  const Validation v = validation_of({run("a", "many", 1.1, 1), run("b", "many", 1.1, 1),
                                      run("c", "many", 1.1, 1), run("d", "one", 1.3, 1)});
  EXPECT_NEAR(*v.overall.median_abs_error, 0.2, 1e-12);
  EXPECT_NEAR(*v.overall.mean_abs_error, 0.2, 1e-12);
}

TEST(Validation, where_samples_per_second_were_measured_they_are_compared) {
  ValidationRun rate = run("a", "g", 0.5, 1);
  rate.measured = {.samples_per_s = 4};  // predicted are 2
  EXPECT_NEAR(*rate.error(), -0.5, 1e-12);
}

TEST(Validation, the_run_we_would_have_picked_costs_what_it_was_measured_to_cost_more) {
  // We pick a, predicted 1 s; it took 3 s, the fastest 2 s.
  const Validation v =
      validation_of({run("a", "g", 1, 3), run("b", "g", 1.5, 2), run("c", "g", 4, 5)});
  EXPECT_NEAR(*v.groups[0].accuracy.regret, 0.5, 1e-12);
  // Ranks 0 1 2 against 1 0 2: 1 - 6 (1 + 1 + 0) / (3 x 8) = 0.5.
  EXPECT_NEAR(*v.groups[0].accuracy.rank_correlation, 0.5, 1e-12);
  EXPECT_FALSE(v.overall.regret) << "a group of fewer than five is no sweep";
}

TEST(Validation, tells_in_how_many_sweeps_the_pick_is_within_2_percent_of_the_best) {
  // Of g we pick a, 1.5 % slower than b; of h a, 3 % slower than b; k is too small to count.
  std::vector<ValidationRun> runs;
  for (const auto& [group, slower] : {std::pair{"g", 1.015}, std::pair{"h", 1.03}}) {
    runs.push_back(run("a", group, 1, slower));
    for (const double rest : {1, 2, 3, 4}) runs.push_back(run("b", group, 1 + rest, rest));
  }
  runs.push_back(run("a", "k", 1, 9));
  runs.push_back(run("b", "k", 2, 1));
  const Validation v = validation_of(std::move(runs));
  EXPECT_NEAR(*v.overall.picked_within_2_percent, 0.5, 1e-12);
  EXPECT_FALSE(v.groups[0].accuracy.picked_within_2_percent) << "one sweep has a regret";
}

TEST(Validation, ties_share_their_mean_rank) {
  // Ranks 0.5 0.5 2 against 0 1 2: covariance 1.5, variances 1.5 and 2.
  EXPECT_NEAR(*rank_correlation({1, 1, 3}, {1, 2, 3}), 1.5 / std::sqrt(1.5 * 2), 1e-12);
  EXPECT_FALSE(rank_correlation({1, 1}, {1, 2}));
  EXPECT_FALSE(rank_correlation({1}, {1}));
}

TEST(Validation, memory_is_told_right_or_not) {
  ValidationRun ran = run("a", "g", 1, 1), out = run("b", "g", 1, 1), missed = run("c", "g", 1, 1);
  ran.predicted->feasible = false;
  out.measured = missed.measured = {.feasible = false};
  out.predicted->feasible = false;
  const Validation v = validation_of({ran, out, missed, run("d", "g", 1, 1)});
  EXPECT_NEAR(*v.overall.oom_recall, 0.5, 1e-12);  // of two, one
  EXPECT_NEAR(*v.overall.false_oom, 0.5, 1e-12);   // of two, one
}

TEST(Validation, what_cannot_be_predicted_counts_among_the_runs) {
  ValidationRun none{
      .name = "a", .group = "g", .measured = {.iteration_time_s = 1}, .reason = "odd"};
  const Validation v = validation_of({none, run("b", "g", 2, 1)});
  EXPECT_EQ(v.overall.runs, 2);
  EXPECT_EQ(v.overall.predicted, 1);
}

}  // namespace
}  // namespace pipewright
