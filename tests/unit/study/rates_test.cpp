#include <gtest/gtest.h>

#include "error_of.hpp"
#include "experiments.hpp"

namespace pipewright::test {
namespace {

config::Value gpt_with(const std::string& rest) {
  return small_gpt("parallel: {tensor: 2, pipeline: 4}\nschedule: 1f1b\n" + rest);
}

// Tokens of the run over tokens of a second.
TEST(Rates, a_training_run_takes_its_tokens_over_the_throughput) {
  const RunResult result = run(gpt_with("training: {tokens: 3B, deadline: 200 d}\n")).result;
  ASSERT_TRUE(result.tokens_per_s && result.time_to_train_s);
  EXPECT_DOUBLE_EQ(*result.time_to_train_s, 3e9 / *result.tokens_per_s);
  EXPECT_EQ(result.deadline_s, 200.0 * 86'400);
}

TEST(Rates, training_counts_tokens) {
  EXPECT_EQ(error_of([] { run(gpt_with("training: {tokens: 0}\n")); }),
            "x.yaml:6:20: error: training needs a number of tokens above 0");
  config::Value images = experiment(
      "{model: resnet-50, cluster: {node: dgx-2, nodes: 1}, schedule: 1f1b,\n"
      " precision: fp32, training: {tokens: 1B}}");
  EXPECT_EQ(error_of([&] { run(images); }),
            "x.yaml:2:29: error: training counts tokens, and this model has none");
}

// Two devices at 100 W computing, 40 W idle, 3 USD an hour: F and B take 3 ms of 4 x 3 ms + 3 ms.
TEST(Rates, energy_and_cost_follow_the_devices_power_and_price) {
  const RunResult result =
      run(experiment(
              "model: {synthetic: {devices: 2, microbatches: 4, forward: 1 ms, backward: 2 ms}}\n"
              "cluster: {devices: 2, link: {latency: 0 s}, device: {flops: {bf16: 1 TFLOP/s},\n"
              "          memory: 1 GiB, memory_bandwidth: 1 GB/s, power: 100 W,\n"
              "          idle_power: 40 W, price_per_hour: 3}}\n"
              "schedule: 1f1b\n"))
          .result;
  EXPECT_DOUBLE_EQ(*result.energy_j, 2 * (0.012 * 100 + 0.003 * 40));
  EXPECT_DOUBLE_EQ(*result.cost_usd, 2 * 0.015 * 3 / 3600);
}

}  // namespace
}  // namespace pipewright::test
