#include "report/text/table.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(TextTable, the_first_column_stands_left_and_the_others_right) {
  EXPECT_EQ(aligned({{"name", "n"}, {"a", "100"}, {"b"}}, 1),
            " name    n\n"
            " a     100\n"
            " b\n");
}

TEST(TextTable, numbers_have_four_digits_and_commas_from_a_thousand_on) {
  EXPECT_EQ(human_number(46.8123), "46.81");
  EXPECT_EQ(human_number(999), "999");
  EXPECT_EQ(human_number(1000), "1,000");
  EXPECT_EQ(human_number(95900.4), "95,900");
  EXPECT_EQ(human_number(-1234567), "-1,234,567");
}

TEST(TextTable, rates_have_a_prefix) {
  EXPECT_EQ(human_rate(1.4e14, "FLOP/s"), "140 TFLOP/s");
  EXPECT_EQ(human_rate(12, "J"), "12 J");
  EXPECT_EQ(human_rate(5e21, "FLOP/s"), "5000 EFLOP/s");
}

TEST(TextTable, long_lines_go_on_below_themselves) {
  EXPECT_EQ(wrapped("name aaa bbb ccc\nshort\n", 10, 5),
            "name aaa\n"
            "     bbb\n"
            "     ccc\n"
            "short\n");
}

TEST(TextTable, a_number_keeps_its_percent_sign) {
  EXPECT_EQ(wrapped("name aa 12.3 % b\n", 12, 5), "name aa\n     12.3 %\n     b\n");
}

TEST(TextTable, a_word_longer_than_a_line_is_not_broken) {
  EXPECT_EQ(wrapped("name abcdefghijkl\n", 8, 5), "name abcdefghijkl\n");
}

TEST(TextTable, fractions_are_told_in_percent) { EXPECT_EQ(percent(0.1234), "12.3 %"); }

TEST(TextTable, one_is_singular) {
  EXPECT_EQ(counted(1, "rank"), "1 rank");
  EXPECT_EQ(counted(1536, "micro-batch"), "1,536 micro-batches");
}

}  // namespace
}  // namespace pipewright
