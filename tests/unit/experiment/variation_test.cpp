#include "experiment/experiment.hpp"
#include "run/vary.hpp"
#include "simulate/run.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "error_of.hpp"
#include "experiments.hpp"

namespace pipewright::test {
namespace {

constexpr double p90_of_normal = 1.2816;

/// `devices` that do 8 micro-batches of F 1 ms and B 2 ms.
RunResult varied_pipeline(int devices, const std::string& variation, uint64_t seed = 0) {
  const std::string n = std::to_string(devices);
  const config::Value document = experiment(
      "model: {synthetic: {devices: " + n + ", microbatches: 8, forward: 1 ms, backward: 2 ms}}\n" +
      "cluster: {devices: " + n +
      ", link: {latency: 0 s}}\nschedule: 1f1b\nvariation: " + variation + "\n");
  return run_experiment(document, config::Catalogue{}, {.seed = seed}).result;
}

double relative(Time time, const RunResult& result) {
  return in_seconds(time) / in_seconds(result.metrics.iteration);
}

TEST(Variation, without_spread_every_run_is_the_run) {
  const RunResult result = varied_pipeline(4, "{compute_spread: 0}");
  ASSERT_TRUE(result.ranges.variation);
  EXPECT_EQ(result.ranges.variation->seeds, 20);
  for (const Time time :
       {result.ranges.variation->p10, result.ranges.variation->p50, result.ranges.variation->p90})
    EXPECT_EQ(time, result.metrics.iteration);
}

// exp(s z): the median is 1, the ninth decile exp(1.2816 s).
TEST(Variation, one_chip_varies_as_its_spread_says) {
  const RunResult result =
      varied_pipeline(1, "{compute_spread: 5%, kernel_spread: 0, seeds: 3000}");
  EXPECT_NEAR(relative(result.ranges.variation->p50, result), 1, 0.004);
  EXPECT_NEAR(relative(result.ranges.variation->p90, result), std::exp(p90_of_normal * 0.05),
              0.006);
  EXPECT_NEAR(relative(result.ranges.variation->p10, result), std::exp(-p90_of_normal * 0.05),
              0.006);
}

// The sum of 8 times 1 ms and 8 times 2 ms, each with a deviation of j, deviates by
// j sqrt(8 (1 + 4)) / (8 (1 + 2)).
TEST(Variation, what_differs_from_op_to_op_averages_out) {
  const RunResult result =
      varied_pipeline(1, "{compute_spread: 0, kernel_spread: 5%, seeds: 3000}");
  const double deviation = 0.05 * std::sqrt(40.0) / 24;
  EXPECT_NEAR(relative(result.ranges.variation->p90, result), 1 + p90_of_normal * deviation, 0.002);
}

// The median of the slowest of 16 normal numbers is z with Phi(z)^16 = 1/2: 1.72. A pipeline can
// be no faster than its slowest chip is with its own 8 micro-batches.
TEST(Variation, a_pipeline_waits_for_its_slowest_chip) {
  const RunResult result =
      varied_pipeline(16, "{compute_spread: 10%, kernel_spread: 0, seeds: 400}");
  const double busy = 8 * 0.003;
  EXPECT_GT(in_seconds(result.ranges.variation->p50), busy * std::exp(0.1 * 1.72) * 0.98);
  EXPECT_GT(result.ranges.variation->p50, result.metrics.iteration);
}

TEST(Variation, the_seed_decides) {
  const std::string variation = "{compute_spread: 3%, seeds: 5}";
  const RunResult once = varied_pipeline(4, variation, 7), again = varied_pipeline(4, variation, 7);
  EXPECT_EQ(once.ranges.variation->p90, again.ranges.variation->p90);
  EXPECT_NE(once.ranges.variation->p90, varied_pipeline(4, variation, 8).ranges.variation->p90);
}

// Tensor ranks wait for each other at every layer: folded or not, a group runs as its slowest chip.
TEST(Variation, folded_is_unfolded) {
  const config::Value document = small_gpt(
      "parallel: {tensor: 2, pipeline: 2, data: 2}\nschedule: 1f1b\n"
      "variation: {compute_spread: 3%, kernel_spread: 0, seeds: 3}\n");
  EXPECT_NEAR(in_seconds(run(document).result.ranges.variation->p50),
              in_seconds(run(document, false).result.ranges.variation->p50), 1e-9);
}

TEST(Variation, quantiles_lie_between_the_nearest_runs) {
  const std::vector<Time> runs = {milliseconds(1), milliseconds(2), milliseconds(4)};
  EXPECT_EQ(quantile(runs, 0.5), milliseconds(2));
  EXPECT_EQ(quantile(runs, 0.75), milliseconds(3));
  EXPECT_EQ(quantile({milliseconds(5)}, 0.9), milliseconds(5));
}

TEST(Variation, mistakes_are_named_where_they_stand) {
  EXPECT_EQ(error_of([] { varied_pipeline(2, "{seeds: 3}"); }).substr(0, 18), "x.yaml:4:12: error");
  for (const char* wrong : {"{compute_spread: 200%}", "{compute_spread: -1%}", "3%",
                            "{compute_spread: 3%, seeds: 0}", "{compute_spread: 3%, sed: 1}"})
    EXPECT_EQ(error_of([&] { varied_pipeline(2, wrong); }).substr(0, 9), "x.yaml:4:") << wrong;
}

}  // namespace
}  // namespace pipewright::test
