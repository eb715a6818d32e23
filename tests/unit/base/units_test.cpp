#include "base/units.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.hpp"

namespace pipewright {
namespace {

TEST(Units, one_byte_at_900_GB_per_s_takes_one_picosecond) {
  // 1 / 900e9 s = 1.11 ps, rounded to 1.
  EXPECT_EQ(Bytes{1} / Bandwidth{900e9}, picoseconds(1));
}

TEST(Units, division_rounds_half_up) {
  EXPECT_EQ(divide(picoseconds(5), 2), picoseconds(3));
  EXPECT_EQ(Bytes{3} / Bandwidth{2e12}, picoseconds(2));  // 1.5 ps
}

TEST(Units, infinite_bandwidth_takes_no_time) {
  EXPECT_EQ(GiB / Bandwidth{std::numeric_limits<double>::infinity()}, Time{});
}

TEST(Units, a_time_beyond_106_days_is_a_failure) { EXPECT_THROW(seconds(1e7), Failure); }

TEST(Units, seconds_are_rounded_half_up_whatever_their_sign) {
  EXPECT_EQ(seconds(2.5e-12), picoseconds(3));
  EXPECT_EQ(seconds(-2.5e-12), picoseconds(-2));
  EXPECT_EQ(seconds(-2.75e-12), picoseconds(-3));
  EXPECT_EQ(seconds(-0.25e-12), Time{});
  EXPECT_EQ(seconds(9e6), picoseconds(9'000'000'000'000'000'000));
  EXPECT_THROW(seconds(std::numeric_limits<double>::quiet_NaN()), Failure);
}

TEST(Units, seconds_survive_the_round_trip) {
  EXPECT_DOUBLE_EQ(in_seconds(seconds(1.25e-6)), 1.25e-6);
}

}  // namespace
}  // namespace pipewright
