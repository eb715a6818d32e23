#include "diagnose/candidates.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using enum OperationKind;

TEST(Pauses, a_pass_that_is_late_by_itself_is_one) {
  const Known known(traced("1f1b", 2, 6, 2, 1, [](const TracedOperation& one) {
    return one.kind == forward && one.stage == 1 && one.dp_rank == 0 && one.micro_batch == 3 ? 5.0
                                                                                             : 1.0;
  }));
  const std::vector<diagnose::Candidate> found = diagnose::pauses(known.evidence());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].who, "pauses, data rank 0, stage 1");
  ASSERT_EQ(found[0].cure.size(), 1u);
}

TEST(Pauses, long_sequences_are_none) {
  const Known known(traced("1f1b", 3, 6, 2, 1, [](const TracedOperation& one) {
    return diagnose::is_pass(one.kind) && one.micro_batch == 3 ? 5.0 : 1.0;
  }));
  EXPECT_TRUE(diagnose::pauses(known.evidence()).empty());
}

TEST(Pauses, garbage_collection_can_go) {
  const Known known({operation(forward, 0, 0, 0, 1), operation(gc, 0, -1, 1, 3)});
  const std::vector<diagnose::Candidate> found = diagnose::pauses(known.evidence());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].who, "garbage collection");
  EXPECT_EQ(found[0].cure[0].second, Time{});
}

}  // namespace
}  // namespace pipewright::test
