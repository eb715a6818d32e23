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

// "tensor 4, pipeline" has 18 letters: 18 + 2 + 7 are 27.
TEST(Fitted, breaks_the_widest_cells_between_words) {
  EXPECT_EQ(fitted({{"plan", "takes"}, {"tensor 4, pipeline 6, data 32", "26.11 s"}}, 0, 27),
            "plan                  takes\n"
            "tensor 4, pipeline  26.11 s\n"
            "6, data 32\n");
}

TEST(Fitted, breaks_headers_before_numbers) {
  EXPECT_EQ(fitted({{"who", "peak memory"}, {"alpa", "73.79 GiB"}}, 0, 15),
            "who        peak\n"
            "         memory\n"
            "alpa  73.79 GiB\n");
}

TEST(Fitted, is_aligned_where_there_is_room) {
  const std::vector<std::vector<std::string>> rows = {{"who", "when"}, {"a b", "1 s"}};
  EXPECT_EQ(fitted(rows, 2, 80), aligned(rows, 2));
  EXPECT_EQ(fitted({}, 2, 80), "");
}

TEST(Fitted, puts_columns_closer_where_words_do_not_give) {
  EXPECT_EQ(fitted({{"a", "b"}, {"gpipe", "1f1b"}}, 0, 10), "a        b\ngpipe 1f1b\n");
}

TEST(Fitted, breaks_words_at_hyphens_and_dots_last) {
  EXPECT_EQ(fitted({{"a", "b"}, {"interleaved-1f1b", "yes"}}, 0, 17),
            "a               b\n"
            "interleaved-  yes\n"
            "1f1b\n");
}

TEST(Fitted, leaves_words_whole_where_there_is_no_room) {
  EXPECT_EQ(fitted({{"a", "b"}, {"interleaved", "1f1b"}}, 0, 5),
            aligned({{"a", "b"}, {"interleaved", "1f1b"}}, 0, 1));
}

}  // namespace
}  // namespace pipewright
