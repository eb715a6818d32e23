#include "base/several_errors.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(SeveralErrors, are_told_once_each_the_first_as_itself) {
  try {
    throw_together(
        {Misfit({"a", 1, 2}, "no"), Misfit({"b", 3, 4}, "nor"), Misfit({"a", 1, 2}, "no")});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "a:1:2: error: no");
    EXPECT_EQ(in_one_line(error), "a:1:2: error: no; and nor");
    EXPECT_EQ(lines_of(error), (std::vector<std::string>{"a:1:2: error: no", "b:3:4: error: nor"}));
  }
}

TEST(SeveralErrors, of_none_throw_nothing) {
  EXPECT_NO_THROW(throw_together({}));
  EXPECT_EQ(lines_of(InputError("x")), std::vector<std::string>{"error: x"});
}

}  // namespace
}  // namespace pipewright::test
