#include "diagnose/candidates.hpp"

#include <gtest/gtest.h>

#include "diagnose/diagnose.hpp"
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

// The last stage is not in the trace. That messages of it take long may be its own fault.
TEST(SlowCommunication, what_missing_ranks_take_part_in_is_no_evidence_of_links) {
  std::vector<TracedOperation> all = traced("1f1b", 3, 4, 2, 1, [](const TracedOperation& one) {
    return one.kind == OperationKind::backward_recv && one.stage == 1 ? 20.0 : 1.0;
  });
  std::erase_if(all, [](const TracedOperation& one) { return one.stage == 2; });
  const Diagnosis found =
      diagnose::diagnose_job({.operations = std::move(all), .stages = 3}, "test");
  ASSERT_FALSE(found.causes.empty());
  EXPECT_EQ(found.causes[0].who, "messages and sums with ranks that the trace lacks");
  for (const Cause& cause : found.causes)
    EXPECT_EQ(cause.who.find("stages 1 and 2"), std::string::npos);
  EXPECT_NE(found.notes.at(0).find("data rank 0, stage 2"), std::string::npos) << found.notes[0];
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
