#include "cost/point_field.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pipewright {
namespace {

/// n, k, m in octaves.
Place octaves(const std::array<int64_t, 5>& sizes) {
  Place place{};
  for (size_t i = 0; i < 3; ++i) place[i] = std::log2(static_cast<double>(sizes[i]));
  return place;
}

// The correction of a point is what stands in its time.
double correction(const Sample& sample) { return sample.seconds; }

PointField field(const std::vector<Sample>& samples) {
  Place near{}, far{};
  std::fill_n(near.begin(), 3, 1.0);
  std::fill_n(far.begin(), 3, 1.0 / 8);
  // No measurement is missed by more than this knee, so noise stays as it is.
  const Likeness likeness{
      .parts = {{0.5, near}, {0.5, far}}, .noise = 0.05, .knee = 1e9, .nearness = near};
  return {table_of(gemm_keys, DType::bf16, samples), octaves, likeness, correction};
}

// One point: its covariance with a place at distance d is (exp(-d) + exp(-d / 8)) / 2, its own
// variance with noise 1.05.
double one_point(double y, double d) { return y * (std::exp(-d) + std::exp(-d / 8)) / 2 / 1.05; }

TEST(PointField, a_point_carries_its_correction_as_far_as_its_covariance) {
  const PointField one = field({{{64, 64, 64}, 0.5}});
  for (const int64_t m : {64, 128, 512}) {
    const double d = std::log2(static_cast<double>(m) / 64);
    EXPECT_NEAR(one.carry({64, 64, m}).value, one_point(0.5, d), 1e-6) << m;
  }
}

TEST(PointField, halfway_between_two_equal_points_their_correction_is_nearly_whole) {
  // Both covariances are c = C(1), that between the points C(2): value = 2 c y / (1.05 + C(2)).
  const PointField two = field({{{64, 64, 64}, 0.3}, {{64, 64, 256}, 0.3}});
  const auto c = [](double d) { return (std::exp(-d) + std::exp(-d / 8)) / 2; };
  EXPECT_NEAR(two.carry({64, 64, 128}).value, 2 * c(1) * 0.3 / (1.05 + c(2)), 1e-6);
}

TEST(PointField, nothing_is_known_far_from_all_points) {
  const PointField one = field({{{64, 64, 64}, 0.5}});
  const Carried far = one.carry({1 << 20, 64, 64});
  EXPECT_EQ(far.value, 0);
  EXPECT_EQ(far.unknown, 1);
  EXPECT_LT(one.carry({64, 64, 64}).unknown, 0.1);
}

TEST(PointField, it_covers_the_box_around_its_points) {
  const PointField two = field({{{64, 64, 64}, 0.5}, {{256, 128, 64}, 0.5}});
  EXPECT_TRUE(two.covers({128, 100, 64}));
  EXPECT_FALSE(two.covers({128, 100, 65}));
  EXPECT_FALSE(two.covers({512, 100, 64}));
}

TEST(PointField, of_many_points_the_nearest_decide) {
  std::vector<Sample> samples;
  for (int64_t n = 32; n <= 4096; n *= 2)
    for (int64_t m = 32; m <= 4096; m *= 2) samples.push_back({{n, 64, m}, n < 400 ? 0.2 : -0.2});
  const PointField many = field(samples);
  EXPECT_NEAR(many.carry({32, 64, 512}).value, 0.2, 0.03);
  EXPECT_NEAR(many.carry({4096, 64, 512}).value, -0.2, 0.03);
}

}  // namespace
}  // namespace pipewright
