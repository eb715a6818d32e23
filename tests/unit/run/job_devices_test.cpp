#include "run/job_devices.hpp"

#include <gtest/gtest.h>

#include "experiments.hpp"
#include "result/run_result.hpp"

namespace pipewright::test {
namespace {

/// Four devices of each kind: 100 and 300 TFLOP/s, 40 and 80 GiB, 200 and 500 W, 1 and 4 USD.
constexpr const char* small =
    "{node: {device: {flops: {bf16: 100 TFLOP/s}, memory: 40 GiB, memory_bandwidth: 1 TB/s, "
    "power: 200 W, price_per_hour: 1}, devices: 4, "
    "interconnect: {kind: full-mesh, link: nvlink3}}, nodes: 1}";
constexpr const char* large_job =
    "{node: {device: {flops: {bf16: 300 TFLOP/s}, memory: 80 GiB, memory_bandwidth: 2 TB/s, "
    "power: 500 W, price_per_hour: 4}, devices: 4, "
    "interconnect: {kind: full-mesh, link: nvlink3}}, nodes: 1}";

config::Value on_groups(const std::string& groups, const std::string& rest = "") {
  return experiment(
      "model: {transformer: {layers: 8, hidden: 512, heads: 8, ffn: 2048, vocabulary: 1024}}\n"
      "cluster: {groups: [" +
      groups +
      "], fabric: {kind: star, link: eth-100}}\n"
      "batch: {global: 16, micro: 1, sequence: 256}\nschedule: 1f1b\n" +
      rest);
}

RunResult mixed(const std::string& first, const std::string& second,
                const std::string& rest = "parallel: {pipeline: 2, data: 4}\n") {
  return run(on_groups(first + ", " + second, rest)).result;
}

// The watts have no idle figure: an iteration takes 4 x 200 + 4 x 500 W all the time. Prices add up
// to 20 USD an hour.
TEST(JobDevices, energy_and_cost_are_the_sums_of_the_devices) {
  for (const RunResult& result : {mixed(small, large_job), mixed(large_job, small)}) {
    const double iteration = in_seconds(result.metrics.iteration);
    ASSERT_TRUE(result.expenses.energy_j && result.expenses.cost_usd);
    EXPECT_DOUBLE_EQ(*result.expenses.energy_j, 2800 * iteration);
    EXPECT_DOUBLE_EQ(*result.expenses.cost_usd, 20 * iteration / 3600);
  }
}

// 4 x 100 + 4 x 300 TFLOP/s are 200 TFLOP/s a device.
TEST(JobDevices, utilisation_is_of_the_sum_of_the_peaks) {
  const RunResult result = mixed(small, large_job);
  ASSERT_TRUE(result.rates.mfu);
  EXPECT_DOUBLE_EQ(*result.rates.mfu, *result.rates.model_flops_per_s_per_device / 200e12);
}

TEST(JobDevices, a_rank_has_the_memory_of_its_own_devices) {
  const RunResult result = mixed(small, large_job);
  ASSERT_EQ(result.metrics.ranks.size(), 2U);
  EXPECT_EQ(result.metrics.ranks[0].capacity, 40 * GiB);
  EXPECT_EQ(result.metrics.ranks[1].capacity, 80 * GiB);
  const RunResult across = mixed(small, large_job, "parallel: {data: 8}\n");
  EXPECT_EQ(across.metrics.ranks[0].capacity, 40 * GiB);
}

TEST(JobDevices, published_runs_are_as_like_a_mixture_in_either_order) {
  const Uncertainty forward = mixed(small, large_job).ranges.uncertainty.value();
  const Uncertainty backward =
      mixed(large_job, small,
            "parallel: {pipeline: 2, data: 4}\nplacement: [4, 5, 6, 7, 0, 1, 2, 3]\n")
          .ranges.uncertainty.value();
  EXPECT_EQ(forward.regime.device, backward.regime.device);
  EXPECT_EQ(forward.p10, backward.p10);
  EXPECT_EQ(forward.p90, backward.p90);
}

// Only the four that are used count.
TEST(JobDevices, devices_that_are_left_out_cost_nothing) {
  const RunResult result =
      mixed(small, large_job, "parallel: {data: 4}\nplacement: [4, 5, 6, 7]\n");
  EXPECT_DOUBLE_EQ(*result.expenses.energy_j, 2000 * in_seconds(result.metrics.iteration));
  EXPECT_EQ(result.metrics.ranks[0].capacity, 80 * GiB);
}

/// What an hour on the first `used` devices of two nodes of 8 costs.
double hourly_price(const std::string& of_node, const std::string& of_device, int used) {
  std::string placement = "0";
  for (int device = 1; device < used; ++device) placement += ", " + std::to_string(device);
  const RunResult result =
      run(experiment("model: {transformer: {layers: 8, hidden: 512, heads: 8, ffn: 2048, "
                     "vocabulary: 1024}}\n"
                     "cluster: {node: {device: {flops: {bf16: 100 TFLOP/s}, memory: 40 GiB, "
                     "memory_bandwidth: 1 TB/s" +
                     of_device + "}, devices: 8" + of_node +
                     ", interconnect: {kind: full-mesh, link: nvlink3}}, nodes: 2, "
                     "fabric: {kind: star, link: eth-100}}\n"
                     "batch: {global: 48, micro: 1, sequence: 256}\nschedule: 1f1b\n"
                     "parallel: {data: " +
                     std::to_string(used) + "}\nplacement: [" + placement + "]\n"))
          .result;
  return result.expenses.cost_usd.value_or(0) * 3600 / in_seconds(result.metrics.iteration);
}

// A cloud rents p5.48xlarge as a whole: 4 of its 8 GPUs cost what 8 do, and 12 of 16 what 16 do.
TEST(JobDevices, a_node_that_has_a_price_is_rented_whole) {
  EXPECT_NEAR(hourly_price(", price_per_hour: 32", "", 4), 32, 1e-9);
  EXPECT_NEAR(hourly_price(", price_per_hour: 32", "", 8), 32, 1e-9);
  EXPECT_NEAR(hourly_price(", price_per_hour: 32", "", 12), 64, 1e-9);
  EXPECT_NEAR(hourly_price(", price_per_hour: 32", ", price_per_hour: 9", 4), 32, 1e-9);
}

TEST(JobDevices, devices_that_have_a_price_are_rented_one_by_one) {
  EXPECT_NEAR(hourly_price("", ", price_per_hour: 9", 4), 36, 1e-9);
  EXPECT_NEAR(hourly_price("", ", price_per_hour: 9", 12), 108, 1e-9);
}

// Two groups of one kind are one kind: the same as a group of both nodes.
TEST(JobDevices, groups_of_the_same_kind_are_alike) {
  const RunResult result = mixed(small, small);
  const std::string both =
      std::string(small).replace(std::string(small).find("nodes: 1"), 8, "nodes: 2");
  const RunResult one = run(on_groups(both, "parallel: {pipeline: 2, data: 4}\n")).result;
  EXPECT_EQ(result.metrics.iteration, one.metrics.iteration);
  EXPECT_EQ(result.notes, one.notes);
}

}  // namespace
}  // namespace pipewright::test
