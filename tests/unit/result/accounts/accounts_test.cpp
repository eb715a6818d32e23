#include "result/accounts/accounts.hpp"

#include <gtest/gtest.h>

#include "support/two_ranks.hpp"

namespace pipewright::test {
namespace {

/// A quarter of every op is its host's.
class QuarterOfHost final : public ComputeShares {
 public:
  ComputeShare of(const Program&, OpId) const override {
    ComputeShare share;
    share.compute[0] = 0.75;
    share.host = 0.25;
    return share;
  }
};

TEST(Accounts, of_a_window_count_what_lies_in_it) {
  const TwoRanks two;
  const Window window{picoseconds(4), picoseconds(24), picoseconds(20)};
  std::vector<Breakdown> all = accounts(two.program, two.timeline, window, SharesByPass{});
  EXPECT_EQ(all[0][ComputeKind::forward], picoseconds(6));
  EXPECT_EQ(all[1][ComputeKind::backward], picoseconds(4));
  EXPECT_EQ(all[1][Traffic::pipeline], picoseconds(5));
  for (const Breakdown& one : all) EXPECT_EQ(one.total(), window.length);
}

TEST(Accounts, split_ops_by_what_they_are_made_of) {
  const TwoRanks two;
  const Window window{Time{}, picoseconds(26), picoseconds(26)};
  std::vector<Breakdown> all = accounts(two.program, two.timeline, window, QuarterOfHost{});
  EXPECT_EQ(all[0].host, picoseconds(3)) << "2.5, rounded half up";
  EXPECT_EQ(all[0][ComputeKind::forward], picoseconds(7));
}

TEST(Accounts, the_mean_counts_every_device_that_a_rank_stands_for) {
  TwoRanks two;
  two.program.ranks[0].multiplicity = 3;
  std::vector<Breakdown> by_rank(2);
  by_rank[0].bubble = picoseconds(8);
  by_rank[1].host = picoseconds(8);
  EXPECT_EQ(mean_account(two.program, by_rank).bubble, picoseconds(6));
}

}  // namespace
}  // namespace pipewright::test
