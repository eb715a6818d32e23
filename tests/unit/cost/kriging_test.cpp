#include "cost/kriging.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pipewright {
namespace {

/// Two causes: one fades along the first coordinate alone, one along the second alone.
Likeness two_causes(float knee) {
  return {
      .parts = {{0.75F, {1}}, {0.25F, {0, 2}}}, .noise = 0.1F, .knee = knee, .nearness = {1, 1}};
}

constexpr float never = 1e9F;    // a knee that nothing reaches
constexpr double single = 1e-6;  // precision

TEST(Kriging, causes_add_up_and_each_fades_along_its_own_coordinates) {
  const Likeness likeness = two_causes(never);
  const std::array<Place, 3> places{{{8, 7}, {5, 6}, {5, 7}}};
  const std::vector<float> with = covariances(likeness, {5, 7}, places);
  ASSERT_EQ(with.size(), 3U);
  EXPECT_NEAR(with[0], 0.75 * std::exp(-3.0) + 0.25, single);
  EXPECT_NEAR(with[1], 0.75 + 0.25 * std::exp(-2.0), single);
  EXPECT_NEAR(with[2], 1, single);
  EXPECT_TRUE(covariances(likeness, {5, 7}, {}).empty());
}

TEST(Kriging, one_measurement_is_believed_but_for_its_noise) {
  // value = y / (1 + noise), unknown = 1 - 1 / (1 + noise) at its own place.
  const Place here{};
  const float known = 0.3F;
  const Carried carried = carry(two_causes(never), here, {&here, 1}, {&known, 1});
  EXPECT_NEAR(carried.value, 0.3 / 1.1, single);
  EXPECT_NEAR(carried.unknown, 1 - 1 / 1.1, single);
}

TEST(Kriging, noise_grows_with_what_a_measurement_is_missed_by) {
  // Alone it is missed by all of its 0.3, six knees: its noise is six times 0.1.
  const Place here{};
  const float known = 0.3F;
  EXPECT_NEAR(carry(two_causes(0.05), here, {&here, 1}, {&known, 1}).value, 0.3 / 1.6, single);
}

TEST(Kriging, a_wild_measurement_among_agreeing_ones_hardly_counts) {
  const std::array<Place, 5> places{{{-0.2F}, {-0.1F}, {0}, {0.1F}, {0.2F}}};
  const std::array<float, 5> known{0.02F, 0.02F, 0.5F, 0.02F, 0.02F};
  const double believed = carry(two_causes(never), {0}, places, known).value;
  const double doubted = carry(two_causes(0.05), {0}, places, known).value;
  EXPECT_GT(believed, 0.1);
  EXPECT_LT(std::abs(doubted - 0.02), 0.5 * std::abs(believed - 0.02));
}

TEST(Kriging, nothing_known_is_nothing_carried) {
  const Carried carried = carry(two_causes(never), {}, {}, {});
  EXPECT_EQ(carried.value, 0);
  EXPECT_EQ(carried.unknown, 1);
}

}  // namespace
}  // namespace pipewright
