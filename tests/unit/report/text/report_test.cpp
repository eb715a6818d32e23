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

}  // namespace
}  // namespace pipewright
