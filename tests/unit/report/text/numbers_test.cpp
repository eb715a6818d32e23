#include "report/text/numbers.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(TextNumbers, numbers_have_four_digits_and_commas_from_a_thousand_on) {
  EXPECT_EQ(human_number(46.8123), "46.81");
  EXPECT_EQ(human_number(999), "999");
  EXPECT_EQ(human_number(1000), "1,000");
  EXPECT_EQ(human_number(95900.4), "95,900");
  EXPECT_EQ(human_number(-1234567), "-1,234,567");
}

TEST(TextNumbers, rates_have_a_prefix) {
  EXPECT_EQ(human_rate(1.4e14, "FLOP/s"), "140 TFLOP/s");
  EXPECT_EQ(human_rate(12, "J"), "12 J");
  EXPECT_EQ(human_rate(5e21, "FLOP/s"), "5000 EFLOP/s");
}

TEST(TextNumbers, fractions_are_told_in_percent) { EXPECT_EQ(percent(0.1234), "12.3 %"); }

TEST(TextNumbers, one_is_singular) {
  EXPECT_EQ(counted(1, "rank"), "1 rank");
  EXPECT_EQ(counted(1536, "micro-batch"), "1,536 micro-batches");
}

TEST(TextNumbers, quantities_have_the_unit_that_fits) {
  EXPECT_EQ(human(microseconds(1500)), "1.5 ms");
  EXPECT_EQ(human(Bytes{3 << 20}), "3 MiB");
}

}  // namespace
}  // namespace pipewright
