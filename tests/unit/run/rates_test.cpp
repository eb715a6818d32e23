#include <gtest/gtest.h>

#include "error_of.hpp"
#include "experiments.hpp"
#include "result/objectives.hpp"

namespace pipewright::test {
namespace {

config::Value gpt_with(const std::string& rest) {
  return small_gpt("parallel: {tensor: 2, pipeline: 4}\nschedule: 1f1b\n" + rest);
}

// Tokens of the run over tokens of a second.
TEST(Rates, a_training_run_takes_its_tokens_over_the_throughput) {
  const RunResult result = run(gpt_with("training: {tokens: 3B, deadline: 200 d}\n")).result;
  ASSERT_TRUE(result.rates.tokens_per_s && result.training.time_s);
  EXPECT_DOUBLE_EQ(*result.training.time_s, 3e9 / *result.rates.tokens_per_s);
  EXPECT_EQ(result.training.deadline_s, 200.0 * 86'400);
}

/// On a node that costs 32.77 USD an hour.
config::Value on_rented_node(const std::string& rest) {
  config::Value document = gpt_with("training: {tokens: 3B}\n" + rest);
  config::set_path(document, "cluster={node: p4d.24xlarge, nodes: 1}");
  return document;
}

TEST(Rates, a_training_run_costs_what_its_devices_cost_as_long) {
  const RunResult result = run(on_rented_node("")).result;
  ASSERT_TRUE(result.training.time_s && result.training.cost_usd);
  EXPECT_NEAR(*result.training.cost_usd, 32.77 / 3600 * *result.training.time_s,
              1e-9 * *result.training.cost_usd);
  EXPECT_FALSE(run(gpt_with("training: {tokens: 3B}\n")).result.training.cost_usd);
}

// Time and cost of an iteration both include the tenth that is lost; the run pays it once.
TEST(Rates, what_failures_take_is_paid_once) {
  const RunResult result =
      run(on_rented_node("failures: {device_mtbf: 1e12 h, checkpoint_interval: 9 min, "
                         "checkpoint_time: 1 min}\n"))
          .result;
  ASSERT_TRUE(result.training.time_s && result.training.cost_usd);
  EXPECT_NEAR(*result.training.cost_usd, 32.77 / 3600 * *result.training.time_s,
              1e-9 * *result.training.cost_usd);
}

// No device fails in so long a time: two nodes that stand by beside one make three to pay.
TEST(Rates, nodes_that_stand_by_are_paid) {
  const auto with_spares = [](const std::string& spares) {
    return run(on_rented_node("failures: {device_mtbf: 1e12 h, checkpoint_interval: 1 h, "
                              "checkpoint_time: 0 s, events: {seeds: 1, time: 100 h, spares: " +
                              spares + "}}\n"))
        .result;
  };
  const RunResult none = with_spares("0"), two = with_spares("2");
  ASSERT_TRUE(none.expenses.cost_usd && none.training.cost_usd);
  EXPECT_DOUBLE_EQ(*two.expenses.cost_usd, 3 * *none.expenses.cost_usd);
  EXPECT_DOUBLE_EQ(*two.training.cost_usd, 3 * *none.training.cost_usd);
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
  EXPECT_DOUBLE_EQ(*result.expenses.energy_j, 2 * (0.012 * 100 + 0.003 * 40));
  EXPECT_DOUBLE_EQ(*result.expenses.cost_usd, 2 * 0.015 * 3 / 3600);
  EXPECT_FALSE(objective_value(result, "energy_j_per_token")) << "it has no tokens";
  EXPECT_FALSE(objective_value(result, "cost_usd_per_token"));
}

// 12 J and 3 USD for an iteration of half a second at 40 tokens a second.
TEST(Rates, energy_and_cost_of_a_token_are_those_of_an_iteration_over_its_tokens) {
  RunResult result;
  result.metrics.iteration = seconds(0.5);
  result.expenses.energy_j = 12;
  EXPECT_FALSE(objective_value(result, "energy_j_per_token"));
  result.rates.tokens_per_s = 40;
  EXPECT_DOUBLE_EQ(*objective_value(result, "energy_j_per_token"), 0.6);
  EXPECT_FALSE(objective_value(result, "cost_usd_per_token")) << "no price is known";
  result.expenses.cost_usd = 3;
  EXPECT_DOUBLE_EQ(*objective_value(result, "cost_usd_per_token"), 0.15);
  EXPECT_FALSE(is_gain("cost_usd_per_token"));
}

}  // namespace
}  // namespace pipewright::test
