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

TEST(Attribution, what_costs_nothing_is_no_cause) {
  const Known known(traced("1f1b", 2, 2, 1, 1));
  EXPECT_TRUE(diagnose::attribute(known.evidence(), {diagnose::Candidate{}}).empty());
}

}  // namespace
}  // namespace pipewright::test
