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

}  // namespace
}  // namespace pipewright
