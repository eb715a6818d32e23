#include "diagnose/attribution.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using enum OperationKind;

TEST(Attribution, another_name_for_the_same_is_left_out) {
  const Known known(traced("1f1b", 2, 2, 1, 1));
  const diagnose::Evidence evidence = known.evidence();
  diagnose::Candidate few{.kind = CauseKind::worker, .who = "few"}, many = few;
  many.who = "many";
  const OpId body = known.trace.body[0];
  few.cure.push_back({body, Time{}});
  many.cure = few.cure;
  many.cure.push_back({known.trace.gap[0], Time{}});
  const std::vector<Cause> causes = diagnose::attribute(evidence, {many, few});
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].who, "few");
}

TEST(Attribution, what_overlaps_is_not_counted_twice) {
  const Known known({operation(forward, 0, 0, 0, 4), operation(backward, 0, 0, 4, 6)});
  const diagnose::Evidence evidence = known.evidence();
  diagnose::Candidate first{.kind = CauseKind::worker, .who = "first"};
  first.cure = {{known.trace.body[0], seconds(1)}, {known.trace.body[1], seconds(4)}};
  diagnose::Candidate second{.kind = CauseKind::host, .who = "second"};
  second.cure = {{known.trace.body[0], seconds(2)}};
  const std::vector<Cause> causes = diagnose::attribute(evidence, {second, first});
  ASSERT_EQ(causes.size(), 1u);  // all that the second recovers is in the first
  EXPECT_NEAR(causes[0].recovered_s, 5, 1e-9);
}

// Data rank 1 takes 9 s for a forward, data rank 0 takes 3 s: the ideal is 6 s, the excess 3 s.
TEST(Attribution, a_cure_beyond_peers_has_a_share_as_far_as_the_ideal_lacks_what_it_takes_away) {
  const Known known({operation(forward, 0, 0, 0, 3), operation(forward, 0, 0, 0, 9, 1)});
  const diagnose::Evidence evidence = known.evidence();
  const auto share = [&](double length, bool beyond_peers) {
    diagnose::Candidate one{.who = "one", .beyond_peers = beyond_peers};
    one.cure = {{known.trace.body[1], seconds(length)}};
    return diagnose::attribute(evidence, {one}).at(0).share;
  };
  EXPECT_NEAR(share(6, true).value(), 1, 1e-9);
  EXPECT_NEAR(share(3, false).value(), 2, 1e-9);
  EXPECT_FALSE(share(3, true));
}

// Data rank 1 takes 9 s for a forward and 7 s for a backward, data rank 0 takes 3 s for each. The
// cures take 6 s and 4 s: the step without them has 6 s of 16 s.
TEST(Attribution, shares_are_of_what_all_causes_make_a_step_longer) {
  const Known known({operation(forward, 0, 0, 0, 3), operation(backward, 0, 0, 3, 3),
                     operation(forward, 0, 0, 0, 9, 1), operation(backward, 0, 0, 9, 7, 1)});
  diagnose::Candidate one{.who = "one"}, other{.aspect = diagnose::Aspect::host, .who = "other"};
  one.cure = {{known.trace.body[2], seconds(3)}};
  other.cure = {{known.trace.body[3], seconds(3)}};
  diagnose::Candidate beyond{
      .aspect = diagnose::Aspect::clock, .who = "beyond", .beyond_peers = true};
  for (const OpId body : known.trace.body) beyond.cure.push_back({body, Time{}});
  const std::vector<Cause> causes = diagnose::attribute(known.evidence(), {beyond, one, other});
  ASSERT_EQ(causes.size(), 3u);
  EXPECT_NEAR(causes[0].share_of_causes.value(), 0.6, 1e-9);
  EXPECT_NEAR(causes[1].share_of_causes.value(), 0.4, 1e-9);
  EXPECT_EQ(causes[2].who, "beyond");
  EXPECT_FALSE(causes[2].share_of_causes);
}

// A rank without peers is held against itself alone.
TEST(Attribution, a_rank_without_peers_has_shares_of_all_that_it_could_gain) {
  const Known known({operation(forward, 0, 0, 0, 3)});
  diagnose::Candidate one{.who = "one", .beyond_peers = true};
  one.cure = {{known.trace.body[0], seconds(1)}};
  const std::vector<Cause> causes = diagnose::attribute(known.evidence(), {one});
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_NEAR(causes[0].share_of_causes.value(), 1, 1e-9);
}

// Data ranks wait for each other: 9 s, where two of four take 9 s and two take 3 s.
TEST(Attribution, two_slow_ranks_that_hide_each_other_are_one_cause) {
  std::vector<TracedOperation> all;
  for (int data = 0; data < 4; ++data)
    all.push_back(operation(forward, 0, 0, 0, data < 2 ? 9 : 3, data));
  const Known known(all);
  std::vector<diagnose::Candidate> ranks;
  for (size_t rank = 0; rank < 2; ++rank) {
    diagnose::Candidate one{.kind = CauseKind::worker, .who = "rank " + std::to_string(rank)};
    one.cure = {{known.trace.body[rank], seconds(3)}};
    ranks.push_back(one);
  }
  const std::vector<Cause> causes = diagnose::attribute(known.evidence(), ranks);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].who, "rank 0; rank 1");
  EXPECT_NEAR(causes[0].recovered_s, 6, 1e-9);
}

// Alone, the cure of the second brings nothing: the first takes 9 s, the second 6 s, the third 3 s.
TEST(Attribution, what_a_larger_cause_hides_is_named_after_it) {
  std::vector<TracedOperation> all;
  for (int data = 0; data < 3; ++data)
    all.push_back(operation(forward, 0, 0, 0, 9 - 3 * data, data));
  const Known known(all);
  diagnose::Candidate first{.kind = CauseKind::communication, .who = "first"};
  first.cure = {{known.trace.body[0], seconds(3)}};
  diagnose::Candidate second{.kind = CauseKind::worker, .who = "second"};
  second.cure = {{known.trace.body[1], seconds(3)}};
  const std::vector<Cause> causes = diagnose::attribute(known.evidence(), {first, second});
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].who, "first");
  EXPECT_NEAR(causes[0].attributed_s, 3, 1e-9);
  EXPECT_EQ(causes[1].who, "second");
  EXPECT_NEAR(causes[1].recovered_s, 0, 1e-9);
  EXPECT_NEAR(causes[1].attributed_s, 3, 1e-9);
}

TEST(Attribution, what_costs_nothing_is_no_cause) {
  const Known known(traced("1f1b", 2, 2, 1, 1));
  EXPECT_TRUE(diagnose::attribute(known.evidence(), {diagnose::Candidate{}}).empty());
}

// Data ranks take 12 s, 6 s, 6 s and 3 s. Behind the first the next two hide each other.
TEST(Attribution, what_a_cause_hides_may_hide_each_other) {
  std::vector<TracedOperation> all;
  for (const auto& [data, length] : {std::pair(0, 12), {1, 6}, {2, 6}, {3, 3}})
    all.push_back(operation(forward, 0, 0, 0, length, data));
  const Known known(all);
  std::vector<diagnose::Candidate> ranks;
  for (size_t rank = 0; rank < 3; ++rank) {
    diagnose::Candidate one{.kind = CauseKind::worker, .who = "rank " + std::to_string(rank)};
    one.cure = {{known.trace.body[rank], seconds(3)}};
    ranks.push_back(one);
  }
  const std::vector<Cause> causes = diagnose::attribute(known.evidence(), ranks);
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_NEAR(causes[0].attributed_s, 6, 1e-9);
  EXPECT_EQ(causes[1].who, "rank 1; rank 2");
  EXPECT_NEAR(causes[1].attributed_s, 3, 1e-9);
  EXPECT_NEAR(causes[1].recovered_s, 0, 1e-9);
}

}  // namespace
}  // namespace pipewright::test
