#include "diagnose/usual_messages.hpp"

#include <gtest/gtest.h>

#include "diagnose/diagnose.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using enum OperationKind;

bool crosses(const TracedOperation& one, int stage) {
  return (one.kind == forward_recv && one.stage == stage) ||
         (one.kind == backward_recv && one.stage == stage - 1);
}

TEST(UsualMessages, half_of_two_links_is_slow) {
  const auto sick = traced("1f1b", 3, 6, 1, 2, [](const TracedOperation& one) {
    return crosses(one, 2) ? 10.0 : 1.0;  // a second in place of 0.1 s
  });
  const Known known(sick);
  const diagnose::UsualMessages usual(known.evidence());
  EXPECT_NEAR(usual.slowdown({1, 2}, 0), 10, 1e-9);
  EXPECT_NEAR(usual.slowdown({0, 1}, 0), 1, 1e-9);

  const Diagnosis found = diagnose::diagnose_operations(sick, "trace");
  const Diagnosis healthy = diagnose::diagnose_operations(traced("1f1b", 3, 6, 1, 2), "trace");
  ASSERT_FALSE(found.causes.empty());
  EXPECT_EQ(found.causes[0].kind, CauseKind::communication);
  EXPECT_EQ(found.causes[0].who, "stages 1 and 2, data rank 0");
  const double cost = found.typical.measured_s - healthy.typical.measured_s;
  EXPECT_NEAR(found.causes[0].recovered_s, cost, 0.05 * cost);
}

TEST(UsualMessages, half_of_many_links_is_slow) {
  const Known known(traced("1f1b", 5, 5, 1, 1, [](const TracedOperation& one) {
    return crosses(one, 1) || crosses(one, 3) ? 8.0 : 1.0;
  }));
  const diagnose::UsualMessages usual(known.evidence());
  for (int stage = 1; stage < 5; ++stage)
    EXPECT_NEAR(usual.slowdown({stage - 1, stage}, 0), stage % 2 == 1 ? 8 : 1, 1e-9) << stage;
}

TEST(UsualMessages, the_directions_of_one_link_are_compared) {
  const Known known(traced("1f1b", 2, 4, 1, 1, [](const TracedOperation& one) {
    return one.kind == backward_recv ? 6.0 : 1.0;
  }));
  EXPECT_NEAR(diagnose::UsualMessages(known.evidence()).slowdown({0, 1}, 0), 6, 1e-9);
}

TEST(UsualMessages, of_one_link_it_is_said_what_cannot_be_told) {
  const Diagnosis found = diagnose::diagnose_operations(traced("1f1b", 2, 4, 1, 1), "trace");
  EXPECT_TRUE(std::ranges::any_of(found.notes, [](const std::string& note) {
    return note.find("one link") != std::string::npos;
  }));
}

}  // namespace
}  // namespace pipewright::test
