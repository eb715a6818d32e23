#include "network/nccl/network_profile.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright {
namespace {

interop::NcclPoint point(int ranks, int nodes, int64_t bytes, double time_s) {
  interop::NcclPoint point{.operation = "all_reduce", .ranks = ranks, .nodes = nodes};
  point.bytes = {bytes};
  point.time_s = time_s;
  return point;
}

TEST(NetworkProfile, repetitions_become_a_median_with_its_spread) {
  std::vector<interop::NcclPoint> points;
  for (const double time : {1e-3, 2e-3, 3e-3}) points.push_back(point(16, 2, 1 << 20, time));
  const NetworkProfile profile = network_profile_of(points, "x.csv");
  ASSERT_EQ(profile.curves.size(), 1u);
  EXPECT_EQ(profile.curves[0].ranks_per_node, 8);
  const MeasuredTime& time = profile.curves[0].times.at(0);
  EXPECT_NEAR(time.time_s, 2e-3, 1e-12);
  EXPECT_NEAR(time.p5_s, 1.1e-3, 1e-9);
  EXPECT_NEAR(time.p95_s, 2.9e-3, 1e-9);
  EXPECT_EQ(time.count, 3);
}

// Of 151 jobs that took 1 ms and 50 that took 2 ms the middle one, the 101st, took 1 ms.
TEST(NetworkProfile, a_row_over_many_jobs_weighs_as_many) {
  interop::NcclPoint many = point(16, 2, 1 << 20, 1e-3), few = point(16, 2, 1 << 20, 2e-3);
  many.jobs = 151, few.jobs = 50;
  const NetworkProfile profile = network_profile_of(std::vector{few, many}, "x.csv");
  const MeasuredTime& time = profile.curves.at(0).times.at(0);
  EXPECT_EQ(time.count, 201);
  EXPECT_NEAR(time.time_s, 1e-3, 1e-12);
  EXPECT_NEAR(time.p95_s, 2e-3, 1e-12);
}

// From 1 to 4 MB 3 MB take 1 ms more.
TEST(NetworkProfile, between_sizes_times_grow_by_the_byte) {
  const MeasuredCurve curve{"all_reduce", 8, 2, {{1e6, 1e-3, 0, 0}, {4e6, 2e-3, 0, 0}}};
  EXPECT_NEAR(interpolated_s(curve, 2e6), 1e-3 + 1e-3 / 3, 1e-9);
  EXPECT_NEAR(interpolated_s(curve, 1), 1e-3, 1e-12);
  EXPECT_NEAR(interpolated_s(curve, 8e6), 4e-3, 1e-12);
}

TEST(NetworkProfile, comes_back_from_its_document) {
  NetworkProfile profile = network_profile_of(
      std::vector{point(8, 1, 1024, 1e-5), point(16, 2, 1024, 3e-5), point(16, 2, 4096, 4e-5)},
      "x.csv");
  profile.transport = "AWS Libfabric";
  const NetworkProfile back = read_network_profile(to_value(profile));
  EXPECT_EQ(back.transport, "AWS Libfabric");
  ASSERT_EQ(back.curves.size(), 2u);
  EXPECT_EQ(back.curves[1].nodes, 2);
  EXPECT_NEAR(back.curves[1].times[1].time_s, 4e-5, 1e-9);
}

std::string error_of_times(const std::string& times) {
  return test::error_of([&] {
    read_network_profile(config::parse(
        "schema: pipewright.network/1\nmeasured:\n"
        "  - operation: all_reduce\n    ranks_per_node: 8\n    nodes: 2\n    times:\n" +
            times,
        "net.yaml"));
  });
}

TEST(NetworkProfile, percentiles_lie_around_the_median) {
  EXPECT_EQ(error_of_times("      - {bytes: 1MiB, time: 90 us, p5: 90 us, p95: 95 us}\n"),
            "no error");
  EXPECT_TRUE(error_of_times("      - {bytes: 1MiB, time: 90 us, p5: 100 us}\n")
                  .starts_with("net.yaml:7:40: error: 'p5' must not be above 'time'"));
  EXPECT_TRUE(error_of_times("      - {bytes: 1MiB, time: 90 us, p95: 80 us}\n")
                  .starts_with("net.yaml:7:41: error: 'p95' must not be below 'time'"));
}

// Steps of real curves are up to 7 times down, where a protocol changes.
TEST(NetworkProfile, a_time_that_falls_as_no_noise_does_is_refused) {
  const std::string first =
      "      - {bytes: 1KiB, time: 50 us}\n      - {bytes: 1MiB, time: 90 us}\n";
  EXPECT_EQ(error_of_times(first + "      - {bytes: 2MiB, time: 15 us}\n"), "no error");
  EXPECT_TRUE(
      error_of_times(first + "      - {bytes: 2MiB, time: 4 us}\n")
          .starts_with("net.yaml:9:9: error: 2097152 bytes take 4 us, 1048576 bytes took 90 us"));
}

TEST(NetworkProfile, ranks_that_do_not_divide_are_refused) {
  EXPECT_EQ(test::error_of([] { network_profile_of(std::vector{point(9, 2, 8, 1e-6)}, "x.csv"); }),
            "x.csv: error: 9 ranks do not divide by 2 nodes");
}

}  // namespace
}  // namespace pipewright
