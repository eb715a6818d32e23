#include "result/accounts/precedence.hpp"

#include <gtest/gtest.h>

#include "support/two_ranks.hpp"

namespace pipewright::test {
namespace {

TEST(Precedence, tells_what_comes_before) {
  const TwoRanks two;
  const Precedence precedence(two.program);
  EXPECT_TRUE(precedence.before(two.first).empty());
  ASSERT_EQ(precedence.before(two.second).size(), 1u);
  EXPECT_EQ(precedence.before(two.second)[0], two.message);
}

}  // namespace
}  // namespace pipewright::test
