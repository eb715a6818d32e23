#include "report/text/report.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(Report, a_terminal_shows_its_parts_one_after_the_other) {
  const Report table = Report().table({{"a", "b"}, {"x", "10"}}, 1);
  EXPECT_EQ(Report().heading("T").lines("One.\n").add(table).text(), "One.\n a   b\n x  10\n");
}

TEST(Report, shows_a_title_where_a_terminal_has_one) {
  EXPECT_EQ(Report().heading("T", "shown\n").text(), "shown\n");
}

TEST(Report, parts_of_nothing_are_left_out) {
  EXPECT_TRUE(Report().lines("").items("").parts().empty());
}

TEST(Report, breaks_sentences_and_tables_for_a_terminal) {
  Report report;
  report.lines("one two three\n").items("- four five six\n").drawing("a   wide    drawing\n");
  report.table({{"x", "y"}, {"seven eight", "9 s"}}, 1);
  EXPECT_EQ(report.text(11),
            "one two\nthree\n- four five\n  six\na   wide    drawing\n"
            " x        y\n seven  9 s\n eight\n");
}

}  // namespace
}  // namespace pipewright
