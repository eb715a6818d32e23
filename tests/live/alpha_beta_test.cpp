// Piecewise alpha-beta gets back what made the times.
#include "calibrate/fit/alpha_beta.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pipewright::fit {
namespace {

using interop::NcclPoint;

/// Eager up to 4 KiB: 2 us, 1 us a doubling, 1 GB/s. Beyond it a handshake: 20 us, 4 GB/s.
double machine_s(const std::string& operation, int ranks, double bytes) {
  const double sent = operation == "all_reduce" ? 2 * bytes * (ranks - 1) / ranks : bytes;
  return bytes <= 4096 ? 2e-6 + 1e-6 * std::log2(ranks) + sent / 1e9 : 20e-6 + sent / 4e9;
}

std::vector<NcclPoint> measured(const std::string& operation) {
  std::vector<NcclPoint> points;
  for (const int ranks : {2, 4, 8}) {
    for (int64_t bytes = 64; bytes <= 1 << 22; bytes *= 4) {
      NcclPoint point{.operation = operation, .ranks = ranks, .bytes = {bytes}};
      point.time_s = machine_s(operation, ranks, static_cast<double>(bytes));
      points.push_back(point);
    }
  }
  return points;
}

TEST(AlphaBeta, two_protocols_are_told_apart) {
  const std::vector<CollectiveFit> fits = fit_alpha_beta(measured("all_reduce"));
  ASSERT_EQ(fits.size(), 1u);
  EXPECT_EQ(fits[0].operation, "all_reduce");
  EXPECT_EQ(fits[0].place, "host");
  ASSERT_EQ(fits[0].segments.size(), 2u);
  EXPECT_EQ(fits[0].segments[0].most_bytes, 4096);
  EXPECT_NEAR(fits[0].segments[0].base_s, 2e-6, 1e-9);
  EXPECT_NEAR(fits[0].segments[0].doubling_s, 1e-6, 1e-9);
  EXPECT_NEAR(fits[0].segments[1].base_s, 20e-6, 1e-8);
  EXPECT_NEAR(fits[0].segments[1].byte_s, 1 / 4e9, 1e-13);
  // A size and a number of ranks that were not measured.
  EXPECT_NEAR(predicted_s(fits[0], 16, 1e6) / machine_s("all_reduce", 16, 1e6), 1, 1e-3);
}

TEST(AlphaBeta, single_outliers_hardly_move_it) {
  std::vector<NcclPoint> points = measured("broadcast");
  for (size_t i = 3; i < points.size(); i += 11) points[i].time_s *= 3;
  const CollectiveFit fit = fit_alpha_beta(points).front();
  for (const int ranks : {2, 8})
    for (const double bytes : {256.0, 65536.0, 4194304.0})
      EXPECT_NEAR(predicted_s(fit, ranks, bytes) / machine_s("broadcast", ranks, bytes), 1, 0.1);
}

// No line goes through times that alternate by a factor of two, and a fit says so.
TEST(AlphaBeta, the_error_is_that_of_points_left_out) {
  EXPECT_LT(fit_alpha_beta(measured("broadcast")).front().held_out.median_abs_error, 0.02);
  std::vector<NcclPoint> points = measured("broadcast");
  for (size_t i = 0; i < points.size(); i += 2) points[i].time_s *= 2;
  const HeldOut error = fit_alpha_beta(points).front().held_out;
  EXPECT_EQ(error.points, static_cast<int>(points.size()));
  EXPECT_GT(error.median_abs_error, 0.1);
}

TEST(AlphaBeta, places_and_operations_are_fitted_apart) {
  std::vector<NcclPoint> points = measured("broadcast"), more = measured("all_reduce");
  for (NcclPoint& point : more) point.nodes = point.ranks;
  points.insert(points.end(), more.begin(), more.end());
  for (NcclPoint& point : more) point.nodes = 2, point.ranks *= 2;
  points.insert(points.end(), more.begin(), more.end());
  const std::vector<CollectiveFit> fits = fit_alpha_beta(points);
  ASSERT_EQ(fits.size(), 3u);
  EXPECT_EQ(fits[0].place + fits[0].operation, "hostbroadcast");
  EXPECT_EQ(fits[1].place, "hosts");
  EXPECT_EQ(fits[2].place, "rail");
}

// Of three ranks' 120 bytes and two ranks' 128 neither is a size of its own: a range has both.
TEST(AlphaBeta, sizes_that_are_cut_to_the_ranks_are_one) {
  std::vector<NcclPoint> points;
  for (int64_t bytes = 64; bytes <= 1 << 20; bytes *= 16) {
    for (const int ranks : {2, 3}) {
      NcclPoint point{.operation = "broadcast", .ranks = ranks, .bytes = {bytes / ranks * ranks}};
      point.time_s = 1e-6 * ranks + static_cast<double>(point.bytes.count) / 1e9;
      points.push_back(point);
    }
  }
  const CollectiveFit fit = fit_alpha_beta(points).front();
  ASSERT_EQ(fit.segments.size(), 1u) << "four sizes are too few for two ranges";
  EXPECT_NEAR(predicted_s(fit, 3, 1e5), 3e-6 + 1e-4, 1e-8);
}

// Two ranks and three sizes: fewer points than there are terms.
TEST(AlphaBeta, few_points_are_enough) {
  std::vector<NcclPoint> points;
  for (const int64_t bytes : {8, 128, 2048}) {
    NcclPoint point{.operation = "send_recv", .ranks = 2, .bytes = {bytes}};
    point.time_s = 1e-6 + static_cast<double>(bytes) / 1e9;
    points.push_back(point);
  }
  const CollectiveFit fit = fit_alpha_beta(points).front();
  EXPECT_NEAR(predicted_s(fit, 2, 1024), 1e-6 + 1024e-9, 1e-9);
}

}  // namespace
}  // namespace pipewright::fit
