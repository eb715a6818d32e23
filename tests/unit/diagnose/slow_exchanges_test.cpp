#include "diagnose/slow_exchanges.hpp"

#include <gtest/gtest.h>

#include "diagnose/cures.hpp"
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

/// Forward passes of 4 s on four data ranks, of which two at a time exchange tokens for so long.
Known exchanging_tokens(double first_s, double second_s) {
  std::vector<TracedOperation> all = exchanging({0, 0, 0, 0});
  for (TracedOperation& one : all)
    one.exchanges[2] = seconds(one.dp_rank < 2 ? first_s : second_s), one.together = 2;
  Known known(all);
  known.job.expert_ranks = 2;
  return known;
}

TEST(SlowExchanges, an_expert_group_is_held_against_the_other) {
  const Known known = exchanging_tokens(1, 3);
  const std::vector<Candidate> found = diagnose::slow_exchanges(known.evidence());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].who, "expert exchanges of data ranks 2-3, stage 0");
  EXPECT_EQ(found[0].aspect, diagnose::Aspect::tokens);
  EXPECT_EQ(found[0].cure, (diagnose::Lengths{{known.trace.body[2], seconds(2)},
                                              {known.trace.body[3], seconds(2)}}));
  EXPECT_TRUE(diagnose::slow_exchanges(exchanging_tokens(2, 2).evidence()).empty());
}

// A slow link is of tensor ranks and of expert ranks at once: 2 s of 3 s and 1 s of 2 s go.
TEST(SlowExchanges, cures_of_tensor_and_expert_exchanges_add_up) {
  std::vector<TracedOperation> all = exchanging({1, 3, 1});
  for (TracedOperation& one : all) {
    one.duration = seconds(6), one.own = seconds(1), one.together = 1;
    one.exchanges[2] = seconds(one.dp_rank == 1 ? 2 : 1);
  }
  const Known known(all);
  const diagnose::Evidence evidence = known.evidence();
  const diagnose::Cures cures(evidence);
  diagnose::Cured now = cures.none();
  for (const Candidate& one : diagnose::slow_exchanges(evidence)) now = cures.with(one, now);
  EXPECT_EQ(now.lengths[known.trace.body[1]], seconds(3));
}

// Both replicas of stage 1 share a slow link, and a step waits for each of them.
TEST(SlowExchanges, where_a_whole_stage_is_slow_other_stages_show_what_is_usual) {
  std::vector<TracedOperation> all;
  for (const int data : {0, 1})
    for (const int stage : {0, 1, 2}) {
      all.push_back(operation(OperationKind::forward, stage, 0, 4 * stage, 4, data));
      all.back().exchanges[0] = seconds(stage == 1 ? 3 : 1);
    }
  const Known known(all);
  const std::vector<Candidate> found = diagnose::slow_exchanges(known.evidence());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[2].who, "tensor exchanges of data ranks 0-1, stage 1");
  EXPECT_EQ(found[2].cure, (diagnose::Lengths{{known.trace.body[1], seconds(2)},
                                              {known.trace.body[4], seconds(2)}}));
}

// Stage 1 has three times the layers.
TEST(SlowExchanges, who_computes_more_exchanges_more) {
  std::vector<TracedOperation> all;
  for (const int data : {0, 1})
    for (const int stage : {0, 1, 2}) {
      const double layers = stage == 1 ? 3 : 1;
      all.push_back(operation(OperationKind::forward, stage, 0, 4 * stage, 4 * layers, data));
      all.back().exchanges[0] = seconds(layers);
      all.back().own = seconds(3 * layers);
    }
  EXPECT_TRUE(diagnose::slow_exchanges(Known(all).evidence()).empty());
}

}  // namespace
}  // namespace pipewright::test
