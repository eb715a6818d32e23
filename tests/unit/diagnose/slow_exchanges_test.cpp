#include "diagnose/slow_exchanges.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using diagnose::Candidate;

/// Forward passes of 4 s on three data ranks, which exchange so long of it with tensor ranks.
std::vector<TracedOperation> exchanging(const std::vector<double>& times_s) {
  std::vector<TracedOperation> all;
  for (size_t data = 0; data < times_s.size(); ++data) {
    all.push_back(operation(OperationKind::forward, 0, 0, 0, 4, static_cast<int32_t>(data)));
    all.back().exchanges[0] = seconds(times_s[data]);
  }
  return all;
}

TEST(SlowExchanges, a_group_is_held_against_the_others_of_its_stage) {
  const Known known(exchanging({1, 3, 1}));
  const std::vector<Candidate> found = diagnose::slow_exchanges(known.evidence());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, CauseKind::communication);
  EXPECT_EQ(found[0].who, "tensor exchanges of data rank 1, stage 0");
  EXPECT_EQ(found[0].cure, (diagnose::Lengths{{known.trace.body[1], seconds(2)}}));
}

// They wait for it, and not for what they exchange themselves.
TEST(SlowExchanges, those_that_wait_for_it_in_their_passes_are_not_cured) {
  std::vector<TracedOperation> all = exchanging({1, 3, 1});
  for (TracedOperation& one : all) one.together = diagnose::all_together;
  const Known known(all);
  const std::vector<Candidate> found = diagnose::slow_exchanges(known.evidence());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cure, (diagnose::Lengths{{known.trace.body[1], seconds(2)}}));
}

// Others compute 1 s longer of it: they wait so long for their hosts, as this one would with a
// usual link.
TEST(SlowExchanges, a_usual_link_leaves_what_others_compute_longer) {
  std::vector<TracedOperation> all = exchanging({1, 3, 1});
  for (TracedOperation& one : all) one.own = seconds(one.dp_rank == 1 ? 1 : 2);
  const Known known(all);
  const std::vector<Candidate> found = diagnose::slow_exchanges(known.evidence());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cure, (diagnose::Lengths{{known.trace.body[1], seconds(3)}}));
}

// A slow device hides 2 s of what it exchanges: the link of the others is none that is slow.
TEST(SlowExchanges, who_computes_longer_may_hide_as_much) {
  std::vector<TracedOperation> all = exchanging({1, 3});
  all[0].own = seconds(3), all[1].own = seconds(1);
  EXPECT_TRUE(diagnose::slow_exchanges(Known(all).evidence()).empty());
}

TEST(SlowExchanges, groups_that_are_alike_or_by_themselves_are_none) {
  EXPECT_TRUE(diagnose::slow_exchanges(Known(exchanging({1, 1.2, 1})).evidence()).empty());
  EXPECT_TRUE(diagnose::slow_exchanges(Known(exchanging({3})).evidence()).empty());
}

}  // namespace
}  // namespace pipewright::test
