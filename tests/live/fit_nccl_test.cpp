// The fit of NCCL's collectives gets back what made the times.
#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/fit/least_squares.hpp"
#include "calibrate/fit/nccl.hpp"
#include "config/catalogue.hpp"

namespace pipewright {
namespace {

using interop::NcclPoint;

TEST(LeastSquares, an_exponential_is_found_from_afar) {
  // y = 3 exp(-x / 2) at ten places.
  const fit::Residuals residuals = [](const std::vector<double>& p) {
    std::vector<double> misses;
    for (int x = 0; x < 10; ++x)
      misses.push_back(p[0] * std::exp(-p[1] * x) - 3 * std::exp(-0.5 * x));
    return misses;
  };
  const std::vector<double> found = fit::least_squares(residuals, {1, 0.1});
  EXPECT_NEAR(found[0], 3, 1e-6);
  EXPECT_NEAR(found[1], 0.5, 1e-6);
}

TEST(LeastSquares, beyond_its_knee_a_robust_residual_counts_linearly) {
  EXPECT_EQ(fit::robust(-0.04, 0.05), -0.04);
  // Huber: 2 k |r| - k^2 = 2 * 0.05 * 0.45 - 0.0025.
  EXPECT_NEAR(std::pow(fit::robust(0.45, 0.05), 2), 0.0425, 1e-12);
}

/// The shipped profile of H100 as a machine, and every size from 512 B to 1 GiB on it.
CollectiveProfile machine() {
  return *read_collective_profile(config::scalar("h100-sxm"), config::Catalogue());
}

std::vector<NcclPoint> measure(const CollectiveProfile& machine) {
  std::vector<NcclPoint> points;
  for (const char* operation : {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"}) {
    for (const int ranks : {2, 4, 8}) {
      for (int power = 9; power <= 30; ++power) {
        NcclPoint point{.operation = operation, .type = "half", .element_bytes = 2};
        point.ranks = ranks;
        point.bytes = {int64_t{1} << power};
        point.time_s = predicted_s(machine, point);
        points.push_back(point);
      }
    }
  }
  return points;
}

TEST(FitNccl, times_made_by_the_model_are_fitted_within_a_percent) {
  const std::vector<NcclPoint> points = measure(machine());
  CollectiveProfile start;
  start.tuning = machine().tuning;
  start.link_bandwidth = machine().link_bandwidth;
  const CollectiveProfile found = fit::fit_collectives(start, points);
  for (const NcclPoint& point : points) {
    EXPECT_NEAR(predicted_s(found, point) / point.time_s, 1, 0.01)
        << point.operation << " " << point.ranks << " " << point.bytes.count;
  }
}

TEST(FitNccl, single_outliers_hardly_move_it) {
  std::vector<NcclPoint> points = measure(machine());
  for (size_t i = 0; i < points.size(); i += 20) points[i].time_s *= 3;
  const CollectiveProfile found = fit::fit_collectives(machine(), points);
  for (size_t i = 1; i < points.size(); i += 20)
    EXPECT_NEAR(predicted_s(found, points[i]) / points[i].time_s, 1, 0.1);
}

TEST(FitNccl, the_error_is_that_of_points_left_out) {
  const std::vector<NcclPoint> points = measure(machine());
  const HeldOut held_out = fit::held_out_error(machine(), points);
  EXPECT_EQ(held_out.points, 4 * 3 * 21);  // from 1 KiB on
  EXPECT_LT(held_out.p95_abs_error, 0.02);
}

}  // namespace
}  // namespace pipewright
