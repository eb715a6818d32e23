#include "diagnose/candidates.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

TEST(SlowCommunication, a_link_has_both_directions) {
  const Known known(traced("1f1b", 3, 3, 2, 1, [](const TracedOperation& one) {
    const bool crosses = (one.kind == OperationKind::forward_recv && one.stage == 2) ||
                         (one.kind == OperationKind::backward_recv && one.stage == 1);
    return crosses && one.dp_rank == 1 ? 4.0 : 1.0;
  }));
  const diagnose::Evidence evidence = known.evidence();
  const std::vector<diagnose::Candidate> found = diagnose::slow_communication(evidence);
  // The link, all messages, the link of all data ranks, the messages of either end of the link, and
  // all communication of pipelines and of data ranks.
  ASSERT_EQ(found.size(), 7u);
  EXPECT_EQ(found[0].who, "stages 1 and 2, data rank 1");
  EXPECT_EQ(found[0].cure.size(), 12u);  // both sides of three messages each way
  EXPECT_EQ(found[1].who, "pipeline messages");
  EXPECT_EQ(found[2].who, "stages 1 and 2");
  EXPECT_EQ(found[3].who, "messages of stage 1, data rank 1");
  EXPECT_EQ(found[3].cure.size(), 24u);  // of both its links
  EXPECT_EQ(found[4].who, "messages of stage 2, data rank 1");
  for (const auto& [op, length] : found[0].cure) EXPECT_EQ(length, milliseconds(100));
}

TEST(SlowCommunication, a_stage_has_its_collectives) {
  const Known known(
      traced("1f1b", 3, 3, 2, 1, [](const TracedOperation& one) { return one.stage + 1; }));
  EXPECT_TRUE(std::ranges::none_of(
      diagnose::slow_communication(known.evidence()),
      [](const diagnose::Candidate& one) { return one.who == "grads-reduce-scatter, stage 0"; }));
}

}  // namespace
}  // namespace pipewright::test
