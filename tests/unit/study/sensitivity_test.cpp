#include "study/sensitivity.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright {
namespace {

const SensitivityRow& row_of(const Sensitivity& all, const std::string& resource) {
  const auto found = std::ranges::find(all.rows, resource, &SensitivityRow::resource);
  EXPECT_NE(found, all.rows.end()) << resource;
  return *found;
}

config::Value job(const std::string& memory) {
  return test::experiment(
      "model: {transformer: {layers: 4, hidden: 8192, heads: 64, ffn: 32768, vocabulary: 1024}}\n"
      "cluster: {devices: 4, device: {flops: {bf16: 100 TFLOP/s}, memory: " +
      memory +
      ", memory_bandwidth: 1000 TB/s}, link: {latency: 0 s, bandwidth: 1000 TB/s}}\n"
      "batch: {global: 48, micro: 1, sequence: 4096}\nparallel: {data: 4}\nschedule: 1f1b\n");
}

// Nothing but matrix products takes time: 10 % more FLOP/s does 10 % more, the rest nothing.
TEST(Sensitivity, finds_the_bottleneck) {
  const Sensitivity all = sensitivity_of(job("8 TiB"), config::Catalogue{}, {}, 1);
  EXPECT_EQ(all.rows.front().gain, std::max(all.rows[0].gain, all.rows[1].gain));
  EXPECT_NEAR(row_of(all, "device FLOP/s").gain, 0.1, 0.005);
  EXPECT_NEAR(row_of(all, "memory bandwidth").gain, 0, 0.005);
  EXPECT_NEAR(row_of(all, "other bandwidth").gain, 0, 0.005);
  EXPECT_EQ(row_of(all, "memory").gain, 0);
  ASSERT_TRUE(all.range);
  EXPECT_LT(all.range->p10_s, all.range->p90_s);
}

// Where chips vary, the gain is that of the median draw: still ten per cent, as all chips gain it.
TEST(Sensitivity, of_chips_that_vary_is_that_of_the_median_draw) {
  config::Value varied = job("8 TiB");
  varied.set("variation", config::parse("{compute_spread: 10%, seeds: 5}", "x.yaml"));
  const Sensitivity all = sensitivity_of(varied, config::Catalogue{}, {}, 1);
  EXPECT_EQ(all.seeds, 5);
  const RunResult run = test::run(varied).result;
  EXPECT_EQ(all.iteration_time_s, in_seconds(run.ranges.variation.value().p50));
  EXPECT_GT(all.iteration_time_s, in_seconds(run.metrics.iteration)) << "the slowest of 4 holds up";
  EXPECT_NEAR(row_of(all, "device FLOP/s").gain, 0.1, 0.005);
}

// Six replicas instead of four do 1.5 times as much where only products take time, which is 10 %
// more for 10 % more devices.
TEST(Sensitivity, of_devices_comes_from_the_next_number_of_replicas) {
  EXPECT_NEAR(row_of(sensitivity_of(job("8 TiB"), config::Catalogue{}, {}, 1), "devices").gain, 0.1,
              0.01);
}

TEST(Sensitivity, says_where_more_memory_would_do) {
  const pipewright::Run run = test::run(job("1 GiB"));
  int64_t peak = 0;
  for (const RankResult& rank : run.result.metrics.ranks)
    peak = std::max(peak, rank.memory.total().count);
  const std::string little = std::to_string(peak / 105 * 100) + " B";
  const SensitivityRow row =
      row_of(sensitivity_of(job(little), config::Catalogue{}, {}, 1), "memory");
  EXPECT_TRUE(row.feasible);
  EXPECT_NE(row.note.find("fit"), std::string::npos);
}

bool asks_for_devices(const Sensitivity& all) {
  return std::ranges::find(all.rows, "devices", &SensitivityRow::resource) != all.rows.end();
}

// Given times are those of given devices: there is no larger cluster to ask for.
TEST(Sensitivity, of_what_has_no_replicas_leaves_out_the_devices) {
  const Sensitivity synthetic = sensitivity_of(
      test::experiment(
          "model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}\n"
          "cluster: {devices: 4, link: {latency: 1 ms}}\nschedule: 1f1b\n"),
      config::Catalogue{}, {}, 1);
  EXPECT_FALSE(asks_for_devices(synthetic));
  EXPECT_GT(row_of(synthetic, "other latency").gain, 0);
  EXPECT_TRUE(asks_for_devices(sensitivity_of(job("8 TiB"), config::Catalogue{}, {}, 1)));
}

TEST(Sensitivity, of_what_has_no_schedule_is_refused) {
  const config::Value traffic = test::experiment(
      "cluster: {devices: 2, link: {latency: 0 s, bandwidth: 1 GB/s}}\n"
      "traffic: [{from: 0, to: 1, bytes: 1 GB}]\n");
  EXPECT_EQ(test::error_of([&] { sensitivity_of(traffic, config::Catalogue{}, {}, 1); }),
            "x.yaml:2:10: error: sensitivity needs an experiment with a schedule: one with "
            "'traffic' can be simulated only");
}

}  // namespace
}  // namespace pipewright
