#include "run/outer_period.hpp"

#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

RunResult with_outer(const std::string& outer, const std::string& rest = "") {
  return run(small_gpt("parallel: {tensor: 2, zero: 1}\nschedule: 1f1b\nouter: {" + outer + "}\n" +
                       rest))
      .result;
}

TEST(OuterPeriod, is_told_beside_the_mean_iteration) {
  const RunResult result = with_outer("sites: 2, every: 20, fragments: 2");
  ASSERT_TRUE(result.outer);
  EXPECT_EQ(result.outer->sites, 2);
  EXPECT_EQ(result.outer->every, 20);
  EXPECT_EQ(result.outer->fragments, 2);
  const Time period = 20 * result.outer->inner + result.outer->exposed + result.outer->compute;
  EXPECT_EQ(result.metrics.iteration.ps, period.ps / 20);
  EXPECT_FALSE(run(small_gpt("parallel: {tensor: 2}\nschedule: 1f1b\n")).result.outer);
}

// The outer optimizer is a row of its own, and rows still add up.
TEST(OuterPeriod, layers_and_kernels_add_up) {
  const RunResult result = with_outer("sites: 2, every: 20");
  double layers = 0, kernels = 0, most = 0;
  for (const LayerTime& layer : result.metrics.detail.layers)
    layers += layer.forward_s + layer.backward_s;
  for (const KernelTime& kernel : result.metrics.detail.kernels) kernels += kernel.time_s;
  for (const RankResult& rank : result.metrics.ranks)
    most = std::max(most, in_seconds(rank.breakdown.computing()));
  EXPECT_NEAR(layers, most, 1e-11);
  EXPECT_NEAR(kernels, most, 1e-11);
}

TEST(OuterPeriod, samples_follow_the_mean_iteration) {
  const RunResult result = with_outer("sites: 2, every: 20");
  EXPECT_NEAR(*result.rates.samples_per_s, 64 / in_seconds(result.metrics.iteration), 1e-6);
}

// Free exchanges leave inner iterations without their reductions, and the outer steps' compute.
TEST(OuterPeriod, gains_count_exchanges_between_sites) {
  const std::string job = "parallel: {tensor: 2}\nschedule: 1f1b\n";
  const auto gain = [](const std::string& text) {
    return *run_experiment(small_gpt(text), config::Catalogue{}, {.if_free = true})
                .result.metrics.detail.if_free;
  };
  const IfFree rare = gain(job + "outer: {sites: 2, every: 100}\n");
  const IfFree each = gain(job + "outer: {sites: 2, every: 1}\n");
  const size_t data = static_cast<size_t>(Traffic::data);
  const RunResult one = run(small_gpt(job + "outer: {sites: 2, every: 1}\n")).result;
  EXPECT_NEAR(in_seconds(each.traffic[data] - rare.traffic[data]),
              0.99 * in_seconds(one.outer->exposed), 1e-11);
  EXPECT_EQ(each.bubble, rare.bubble);
}

}  // namespace
}  // namespace pipewright::test
