#include "diagnose/candidates.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

TEST(SlowPlaces, a_rank_is_held_against_its_stage) {
  const Known known(traced("1f1b", 2, 4, 3, 1, [](const TracedOperation& one) {
    return diagnose::is_pass(one.kind) && one.stage == 1 && one.dp_rank == 2 ? 1.5 : 1.0;
  }));
  const diagnose::Evidence evidence = known.evidence();
  const std::vector<diagnose::Candidate> found = diagnose::slow_places(evidence);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, CauseKind::worker);
  EXPECT_EQ(found[0].who, "data rank 2, stage 1");
  EXPECT_EQ(found[0].cure.size(), 8u);  // its passes
  for (const auto& [op, length] : found[0].cure)
    EXPECT_NEAR(in_seconds(length) * 1.5, in_seconds(evidence.lengths[op]), 1e-9);
}

TEST(SlowPlaces, a_stage_is_slow_when_all_its_ranks_are) {
  const Known known(traced("1f1b", 3, 3, 2, 1, [](const TracedOperation& one) {
    return diagnose::is_pass(one.kind) && one.stage == 2 ? 2.0 : 1.0;
  }));
  const std::vector<diagnose::Candidate> found = diagnose::slow_places(known.evidence());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, CauseKind::stage);
  EXPECT_EQ(found[0].who, "stage 2");
}

TEST(SlowPlaces, a_slow_stage_updates_slowly_too) {
  using enum OperationKind;
  std::vector<TracedOperation> all;
  for (int stage = 0; stage < 3; ++stage) {
    all.push_back(operation(forward, stage, 0, stage, stage == 2 ? 2 : 1));
    all.push_back(operation(optimizer, stage, -1, 5, stage == 2 ? 1.5 : 1));
  }
  const Known known(std::move(all));
  const std::vector<diagnose::Candidate> found = diagnose::slow_places(known.evidence());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].who, "stage 2");
  ASSERT_EQ(found[0].cure.size(), 2u);
  for (const auto& [op, length] : found[0].cure) EXPECT_NEAR(in_seconds(length), 1, 1e-9);
}

TEST(SlowPlaces, a_stage_may_lack_ranks) {
  std::vector<TracedOperation> all = traced("1f1b", 3, 3, 2, 1, [](const TracedOperation& one) {
    return diagnose::is_pass(one.kind) && one.stage == 2 ? 2.0 : 1.0;
  });
  std::erase_if(all, [](const TracedOperation& one) { return one.stage == 2 && one.dp_rank == 0; });
  const Known known(std::move(all));
  const std::vector<diagnose::Candidate> found = diagnose::slow_places(known.evidence());
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].who, "stage 2");
}

TEST(SlowPlaces, alike_are_not_slow) {
  EXPECT_TRUE(diagnose::slow_places(Known(traced("1f1b", 2, 2, 2, 1)).evidence()).empty());
}

TEST(SlowPlaces, the_median_of_an_even_number_is_between) {
  EXPECT_DOUBLE_EQ(diagnose::median_of({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(diagnose::median_of({9, 1, 3}), 3);
}

TEST(SlowPlaces, updates_are_compared_too) {
  TracedJob job{traced_schedule("gpipe", 2, 2), 3, 1};
  job.length = [](const TracedOperation& one) {
    if (one.kind == OperationKind::optimizer)
      return seconds(one.dp_rank == 1 && one.stage == 0 ? 4 : 1);
    return seconds(diagnose::is_pass(one.kind) ? 1 : 0);
  };
  const Known known(trace_of(job));
  const std::vector<diagnose::Candidate> found = diagnose::slow_places(known.evidence());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].who, "data rank 1, stage 0");
  EXPECT_NE(found[0].remedy.find("its updates take 4.00 times"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
