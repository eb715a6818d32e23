#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "calibrate/measure/cluster.hpp"
#include "calibrate/measure/outliers.hpp"
#include "calibrate/measure/rounds.hpp"
#include "calibrate/transport/memory.hpp"

namespace pipewright::calibration {
namespace {

TEST(Rounds, every_two_ranks_meet_once_and_nobody_meets_two_at_a_time) {
  for (int ranks = 2; ranks <= 17; ++ranks) {
    EXPECT_EQ(rounds_of(ranks), ranks % 2 == 0 ? ranks - 1 : ranks);
    std::set<std::pair<int, int>> met;
    for (int round = 0; round < rounds_of(ranks); ++round)
      for (int rank = 0; rank < ranks; ++rank) {
        const std::optional<int> other = partner(rank, round, ranks);
        if (!other) continue;
        EXPECT_NE(*other, rank);
        EXPECT_EQ(partner(*other, round, ranks), rank) << "of " << ranks << " in " << round;
        EXPECT_EQ(met.insert({rank, *other}).second, true);
      }
    EXPECT_EQ(met.size(), static_cast<size_t>(ranks * (ranks - 1)));
  }
}

TEST(Rounds, one_rank_meets_nobody) { EXPECT_EQ(rounds_of(1), 0); }

TEST(Outliers, a_value_far_from_the_others_is_named_with_its_distance) {
  // The median is 100, the median distance from it 1: a robust deviation is 1.4826.
  const std::vector<double> values{99, 100, 101, 98, 102, 100, 80};
  const std::vector<Outlier> found = outliers(values);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].index, 6u);
  EXPECT_EQ(found[0].median, 100);
  EXPECT_NEAR(found[0].deviations, -20 / 1.4826, 1e-9);
}

TEST(Outliers, of_equal_values_none_is_one_and_a_small_difference_is_none) {
  EXPECT_TRUE(outliers(std::vector<double>{5, 5, 5, 5}).empty());
  // Four of the others' deviations, but within 5 %.
  EXPECT_TRUE(outliers(std::vector<double>{100, 100, 100, 100, 104}).empty());
  EXPECT_TRUE(outliers(std::vector<double>{1, 100}).empty()) << "of two either may be the odd one";
}

TEST(Pairs, every_rank_learns_its_way_to_all_others_and_not_to_itself) {
  constexpr int ranks = 5;
  const auto transports = transport::memory_transports(ranks);
  std::vector<std::vector<PairTimes>> to(ranks);
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      transport::Session session(*transports[rank], std::chrono::seconds(20));
      to[rank] = measure_pairs(session, {.pings = 3, .messages = 1, .bytes = 1000}, [](int) {});
      session.exchange({});
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t a = 0; a < ranks; ++a)
    for (size_t b = 0; b < ranks; ++b) {
      EXPECT_EQ(to[a][b].bytes_per_s > 0, a != b) << a << " to " << b;
      EXPECT_EQ(to[a][b].latency_s, to[b][a].latency_s) << "half of the same trip";
    }
}

/// Eight alike on two hosts; latencies and bandwidths are those of their kind.
MeasuredCluster alike() {
  MeasuredCluster cluster;
  for (int rank = 0; rank < 8; ++rank)
    cluster.devices.push_back({.host = rank < 4 ? "one" : "two",
                               .name = "gpu",
                               .flops_per_s = 100e12,
                               .bytes_per_s = 1e12});
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b)
      cluster.pairs.push_back((a < 4) == (b < 4) ? PairTimes{2e-6, 100e9} : PairTimes{9e-6, 10e9});
  return cluster;
}

TEST(ClusterFindings, hosts_apart_are_no_outliers_of_hosts_together) {
  EXPECT_TRUE(findings(alike()).empty());
  EXPECT_EQ(stragglers_yaml(alike()), "");
}

TEST(ClusterFindings, a_slow_device_is_named_with_its_evidence_and_becomes_a_straggler) {
  MeasuredCluster cluster = alike();
  cluster.devices[5].flops_per_s = 80e12;
  // The others are equal, so a deviation is 1 % of the median: 20 of them.
  ASSERT_EQ(findings(cluster).size(), 1u);
  EXPECT_EQ(findings(cluster)[0],
            "rank 5 (two): products at 80 TFLOP/s, 20 % below the median of 100 TFLOP/s (20 robust "
            "deviations)");
  EXPECT_EQ(stragglers_yaml(cluster), "stragglers: [{device: 5, slowdown: 1.25}]");
}

TEST(ClusterYaml, has_every_devices_speed_beside_the_median) {
  MeasuredCluster cluster = alike();
  EXPECT_NE(cluster_yaml(cluster, "c").find("speeds: [1, 1, 1, 1, 1, 1, 1, 1]"), std::string::npos);
  cluster.devices[5].flops_per_s = 80e12;
  cluster.devices[0].flops_per_s = 103e12;
  EXPECT_NE(cluster_yaml(cluster, "c").find("speeds: [1.03, 1, 1, 1, 1, 0.8, 1, 1]"),
            std::string::npos);
}

TEST(ClusterFindings, one_slow_way_is_named_by_its_ends_a_slow_port_by_its_rank) {
  MeasuredCluster cluster = alike();
  cluster.pairs[1 * 8 + 2].bytes_per_s = 50e9;
  ASSERT_EQ(findings(cluster).size(), 1u);
  EXPECT_EQ(findings(cluster)[0].find("from rank 1 (one) to rank 2 (one): 50 GB/s, 50 % below"),
            0u);
  for (size_t other = 0; other < 8; ++other)
    cluster.pairs[3 * 8 + other].bytes_per_s /= 4, cluster.pairs[other * 8 + 3].bytes_per_s /= 4;
  EXPECT_EQ(findings(cluster)[0], "rank 3 (one): 14 of its 14 routes to and from others are slow");
}

TEST(ClusterFindings, a_throttled_gpu_and_one_with_memory_errors_are_named) {
  MeasuredCluster cluster = alike();
  cluster.devices[0].health = Health{.uuid = "GPU-0",
                                     .clock_mhz = 1200,
                                     .most_clock_mhz = 1980,
                                     .temperature_c = 88,
                                     .throttled = "temperature"};
  cluster.devices[1].health = Health{.uuid = "GPU-1", .ecc_errors = 3};
  EXPECT_EQ(findings(cluster),
            (std::vector<std::string>{
                "rank 0 (one): clocks held down by temperature, at 1200 of 1980 MHz and 88 C",
                "rank 1 (one): 3 uncorrected memory errors"}));
}

}  // namespace
}  // namespace pipewright::calibration
