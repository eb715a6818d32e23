#include "network/nccl/measured_network.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "network/slowest.hpp"

namespace pipewright {
namespace {

/// 10 us and 1 GB/s, whatever the group.
std::optional<double> predicted(std::string_view, int, int nodes, double bytes) {
  if (nodes > 64) return std::nullopt;
  return 10e-6 + bytes / 1e9;
}

/// Measured: `twice`, `four` times as long as predicted over 2 and 8 nodes of 8.
MeasuredNetwork network(double over_2, double over_8) {
  NetworkProfile profile;
  for (const auto& [nodes, factor] : {std::pair{2, over_2}, std::pair{8, over_8}}) {
    MeasuredCurve curve{"all_gather", 8, nodes, {}};
    for (const double bytes : {1e3, 1e6, 1e9}) {
      const double time = factor * *predicted("", 8, nodes, bytes);
      curve.times.push_back({bytes, time, time, time, 1});
    }
    profile.curves.push_back(curve);
  }
  return {profile, predicted};
}

TEST(MeasuredNetwork, at_a_measured_point_is_what_was_measured) {
  EXPECT_NEAR(network(2, 4).factor("all_gather", 8, 2, 1e6, predicted), 2, 1e-9);
  EXPECT_NEAR(network(2, 4).factor("all_gather", 8, 8, 1e9, predicted), 4, 1e-9);
}

TEST(MeasuredNetwork, between_nodes_goes_by_doublings) {
  EXPECT_NEAR(network(2, 8).factor("all_gather", 8, 4, 1e6, predicted), 4, 1e-9);
}

TEST(MeasuredNetwork, beyond_them_grows_as_the_slowest_of_more_draws) {
  const double spread = std::log(2) / std::log(slowest_of(8, 1));
  EXPECT_NEAR(network(2, 4).factor("all_gather", 8, 32, 1e6, predicted),
              4 * slowest_of(32, spread) / slowest_of(8, spread), 1e-9);
  EXPECT_NEAR(network(2, 2).factor("all_gather", 8, 32, 1e6, predicted), 2, 1e-9);
}

// Twice the factor from 2 to 8 nodes, but repetitions that are alike: more draws change nothing.
TEST(MeasuredNetwork, beyond_them_grows_by_no_more_than_repetitions_show) {
  const auto beyond = [](double apart) {
    NetworkProfile profile;
    for (const auto& [nodes, factor] : {std::pair{2, 2.0}, std::pair{8, 4.0}}) {
      const double time = factor * *predicted("", 8, nodes, 1e9);
      profile.curves.push_back({"all_gather", 8, nodes, {{1e9, time, time, apart * time, 30}}});
    }
    return MeasuredNetwork(profile, predicted).factor("all_gather", 8, 32, 1e9, predicted);
  };
  EXPECT_NEAR(beyond(1), 4, 1e-9);
  const double spread = std::log(1.05) / (2 * 1.645);
  EXPECT_NEAR(beyond(1.05), 4 * slowest_of(32, spread) / slowest_of(8, spread), 1e-9);
  EXPECT_GT(beyond(100), beyond(1.05));
}

// One node takes 1.2 times as long as predicted and two take 1.5 times: 1.25 times is the
// network's, for each doubling.
TEST(MeasuredNetwork, where_jobs_share_the_network_grows_with_each_doubling) {
  NetworkProfile profile;
  for (const auto& [nodes, factor] : {std::pair{1, 1.2}, std::pair{2, 1.5}}) {
    MeasuredCurve curve{"all_gather", 8, nodes, {}};
    curve.times.push_back({1e9, factor * *predicted("", 8, nodes, 1e9), 0, 0, 1});
    profile.curves.push_back(curve);
  }
  EXPECT_NEAR(MeasuredNetwork(profile, predicted, true).factor("all_gather", 8, 8, 1e9, predicted),
              1.5 * 1.25 * 1.25, 1e-9);
  EXPECT_NEAR(MeasuredNetwork(profile, predicted).factor("all_gather", 8, 8, 1e9, predicted), 1.5,
              1e-9);
}

/// Predicts 100 us to start and then `bandwidth` bytes/s.
MeasuredNetwork::Predict links_of(double bandwidth) {
  return [=](std::string_view, int, int, double bytes) { return 100e-6 + bytes / bandwidth; };
}

/// Measured over 2 nodes of 8, whose time grows in other steps than any prediction.
const NetworkProfile uneven{.curves = {{"all_reduce",
                                        8,
                                        2,
                                        {{1024, 50e-6, 0, 0, 1},
                                         {1048576, 90e-6, 0, 0, 1},
                                         {134217728, 1e-3, 0, 0, 1},
                                         {1073741824, 8e-3, 0, 0, 1}}}}};

double uneven_time(double bytes, double bandwidth) {
  const MeasuredNetwork::Predict links = links_of(bandwidth);
  return MeasuredNetwork(uneven, links).factor("all_reduce", 8, 2, bytes, links) *
         *links("", 8, 2, bytes);
}

TEST(MeasuredNetwork, a_larger_buffer_takes_longer_where_the_points_do) {
  for (const double bandwidth : {1e9, 25e9, 400e9}) {
    const std::vector<MeasuredTime>& points = uneven.curves.front().times;
    for (size_t k = 0; k + 1 < points.size(); ++k) {
      double before = uneven_time(points[k].bytes, bandwidth);
      EXPECT_NEAR(before / points[k].time_s, 1, 1e-9);
      for (double bytes = 2 * points[k].bytes; bytes <= points[k + 1].bytes; bytes *= 2) {
        const double time = uneven_time(bytes, bandwidth);
        EXPECT_GT(time, before) << bytes;
        before = time;
      }
      EXPECT_NEAR(before / points[k + 1].time_s, 1, 1e-9);
    }
  }
}

TEST(MeasuredNetwork, between_its_points_takes_no_link_into_account) {
  for (double bytes = 1024; bytes <= 1 << 30; bytes *= 2)
    EXPECT_NEAR(uneven_time(bytes, 25e9) / uneven_time(bytes, 50e9), 1, 1e-9) << bytes;
}

TEST(MeasuredNetwork, of_groups_that_a_cluster_has_not_is_empty) {
  const auto nothing = [](std::string_view, int, int, double) { return std::optional<double>(); };
  EXPECT_TRUE(MeasuredNetwork(uneven, nothing).is_empty());
  EXPECT_FALSE(network(2, 4).is_empty());
}

TEST(MeasuredNetwork, other_operations_are_slow_together_with_it_between_nodes_alone) {
  EXPECT_NEAR(network(2, 4).factor("reduce_scatter", 1, 8, 125e3, predicted), 4, 1e-9);
  EXPECT_EQ(network(2, 4).factor("reduce_scatter", 8, 1, 1e6, predicted), 1);
}

TEST(MeasuredNetwork, says_how_far_it_reaches) {
  EXPECT_EQ(network(2, 4).most_nodes("all_gather"), 8);
}

// 1 GB in 1.0 s over links that need 0.9 s at the least, or 1.1 s.
TEST(MeasuredNetwork, tells_that_its_links_were_faster) {
  const NetworkProfile profile{.curves = {{"all_gather", 8, 2, {{1e9, 1.0, 1.0, 1.0, 1}}}}};
  const auto takes = [](double s) { return [s](std::string_view, int, int, double) { return s; }; };
  EXPECT_FALSE(MeasuredNetwork(profile, predicted, false, takes(0.9)).outruns_links());
  EXPECT_TRUE(MeasuredNetwork(profile, predicted, false, takes(1.1)).outruns_links());
}

TEST(MeasuredNetwork, names_whose_factor_an_operation_has) {
  EXPECT_EQ(network(2, 4).stand_in("all_gather"), "all_gather");
  EXPECT_EQ(network(2, 4).stand_in("all_to_all"), "all_gather");
}

}  // namespace
}  // namespace pipewright
