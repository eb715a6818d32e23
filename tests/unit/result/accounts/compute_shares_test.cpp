#include "result/accounts/compute_shares.hpp"

#include <gtest/gtest.h>

#include "support/two_ranks.hpp"

namespace pipewright::test {
namespace {

TEST(ComputeShares, an_op_is_of_the_kind_that_its_pass_says) {
  const TwoRanks two;
  const SharesByPass shares;
  EXPECT_EQ(shares.of(two.program, two.first).compute[0], 1);
  EXPECT_EQ(shares.of(two.program, two.second).compute[1], 1);
  EXPECT_EQ(shares.of(two.program, two.second).host, 0);
  EXPECT_EQ(kind_of(schedule::Pass::weight_gradient), ComputeKind::weight_gradient);
}

}  // namespace
}  // namespace pipewright::test
