#include "report/text/accounts_bar.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/tiny_run.hpp"

namespace pipewright::test {
namespace {

// Of 65 us: forward 10, backward 20, a step of 1, 2 exposed, 32 of bubble. With a letter a
// microsecond every place has just its own.
TEST(AccountsBar, has_a_letter_for_each_part_of_the_time) {
  const std::string bar = accounts_bar(tiny_metrics(), 65);
  EXPECT_EQ(bar, "|" + std::string(10, 'F') + std::string(20, 'B') + "S" + "pp" +
                     std::string(32, '.') + "|");
}

TEST(AccountsBar, adds_up_at_every_width) {
  for (const size_t width : {1, 7, 40, 76}) {
    const std::string bar = accounts_bar(tiny_metrics(), width);
    ASSERT_EQ(bar.size(), width + 2);
    const double bubble = static_cast<double>(std::ranges::count(bar, '.'));
    EXPECT_NEAR(bubble, 32.0 / 65 * static_cast<double>(width), 1);
  }
}

TEST(AccountsBar, is_empty_where_nothing_was_computed) { EXPECT_EQ(accounts_bar({}, 40), ""); }

}  // namespace
}  // namespace pipewright::test
