#include "cost/conditions.hpp"

#include <gtest/gtest.h>

#include "config/emit.hpp"
#include "error_of.hpp"

namespace pipewright {
namespace {

using test::error_of;

BesideTime product_beside(double slowdown, double bytes_per_s, double memory_share) {
  return {.kernel = "gemm forward fp32 m=256 n=256 k=256",
          .what = "copy",
          .alone_s = 1e-3,
          .beside_s = slowdown * 1e-3,
          .bytes_per_s = bytes_per_s,
          .memory_share = memory_share};
}

TEST(Conditions, what_is_written_is_read_back) {
  Conditions all{.launch_s = 2e-6, .first_allocation_s = 3e-3, .next_allocation_s = 1e-3};
  all.beside = {product_beside(1.25, 4e9, 0.1)};
  all.cache = {{"add forward fp32 elements=1048576", 1e-4, 3e-4}};
  all.steadiness = {.first_clock_hz = 3e9, .last_clock_hz = 2e9, .slowdown = 1.5, .held = "power"};
  all.spread = {8, 1.01, 1.08};
  const Conditions read = read_conditions(config::parse(config::to_yaml(to_value(all)), "c.yaml"));
  EXPECT_DOUBLE_EQ(read.launch_s, 2e-6);
  EXPECT_DOUBLE_EQ(read.first_allocation_s, 3e-3);
  ASSERT_EQ(read.beside.size(), 1u);
  EXPECT_EQ(read.beside[0].kernel, all.beside[0].kernel);
  EXPECT_DOUBLE_EQ(read.beside[0].slowdown(), 1.25);
  ASSERT_EQ(read.cache.size(), 1u);
  EXPECT_DOUBLE_EQ(read.cache[0].cold_s, 3e-4);
  EXPECT_EQ(read.steadiness.verdict(), "drift+clock+power");
  EXPECT_EQ(read.spread.ranks, 8);
  EXPECT_DOUBLE_EQ(read.spread.slowest, 1.08);
}

TEST(Conditions, a_product_that_needs_no_memory_loses_all_that_it_is_slowed_by) {
  // 1.25 times as long is 0.8 of its rate.
  Conditions all{.beside = {product_beside(1.25, 4e9, 0)}};
  EXPECT_NEAR(all.lost_beside(100e9, 100), 0.2, 1e-12);
}

TEST(Conditions, what_the_memory_takes_from_it_is_not_lost_twice) {
  // Copies read and write 2 x 30 GB/s of 100: 40 % are left to a product that needs 80 %, which
  // goes on at half its rate. Twice as long is therefore nothing more; 2.5 times loses a fifth.
  Conditions all{.beside = {product_beside(2, 30e9, 0.8)}};
  EXPECT_NEAR(all.lost_beside(100e9, 100), 0, 1e-12);
  all.beside = {product_beside(2.5, 30e9, 0.8)};
  EXPECT_NEAR(all.lost_beside(100e9, 100), 0.2, 1e-12);
}

// 25 of 100 processors hold an all-reduce's channels: 75 % are left, and 1.25 times as long is 0.8
// of the rate, more than that; 2 times is 0.5, of which a third of 75 % is missing.
TEST(Conditions, what_a_collective_s_channels_hold_is_not_lost_twice) {
  BesideTime time = product_beside(1.25, 4e9, 0);
  time.what = "all_reduce";
  time.channels = 25;
  Conditions all{.beside = {time}};
  EXPECT_EQ(all.lost_beside(100e9, 100), 0);
  all.beside[0].beside_s = 2 * all.beside[0].alone_s;
  EXPECT_NEAR(all.lost_beside(100e9, 100), 1.0 / 3, 1e-12);
  // A core of a CPU does not hold the library's thread: all of the half is lost.
  all.beside[0].channels = 1;
  EXPECT_NEAR(all.lost_beside(100e9, 1), 0.5, 1e-12);
}

TEST(Conditions, where_collectives_were_measured_copies_do_not_count) {
  BesideTime time = product_beside(2, 4e9, 0);
  time.what = "all_gather";
  const Conditions all{.beside = {product_beside(1, 4e9, 0), product_beside(1, 4e9, 0), time}};
  EXPECT_NEAR(all.lost_beside(100e9, 1), 0.5, 1e-12);
}

TEST(Conditions, a_product_that_got_faster_loses_nothing_and_none_is_no_loss) {
  Conditions all{.beside = {product_beside(0.9, 4e9, 0)}};
  EXPECT_EQ(all.lost_beside(100e9, 100), 0);
  EXPECT_EQ(Conditions{}.lost_beside(100e9, 100), 0);
}

TEST(Conditions, each_sign_of_an_unsteady_machine_is_named) {
  EXPECT_EQ(Steadiness{}.verdict(), "");
  EXPECT_EQ((Steadiness{.stolen = 0.1}).verdict(), "stolen");
  EXPECT_EQ((Steadiness{.load = 3}).verdict(), "load");
  EXPECT_EQ((Steadiness{.slowdown = 0.9}).verdict(), "drift");
}

TEST(Conditions, a_newer_version_is_refused_where_it_stands) {
  EXPECT_EQ(error_of([] { read_conditions(config::parse("version: 2\n", "c.yaml")); }),
            "c.yaml:1:10: error: conditions of version 2 are newer than this program, which reads "
            "1");
}

}  // namespace
}  // namespace pipewright
