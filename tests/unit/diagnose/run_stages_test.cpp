#include "diagnose/run_stages.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(RunStages, chunks_are_numbered_by_the_stages_that_they_are) {
  diagnose::RunStages stages;  // a V of two ranks; rank 0 begins with its last stage
  for (const auto& [rank, stage] : {std::pair(0, 3), {0, 0}, {1, 1}, {1, 2}, {0, 3}})
    stages.add(rank, stage);
  EXPECT_EQ(stages.placement(), (diagnose::Placement{{0, 3}, {1, 2}}));
  EXPECT_EQ(stages.chunk_of(0, 3), 1);
  EXPECT_EQ(stages.chunk_of(0, 1), -1);
  EXPECT_EQ(stages.chunk_of(2, 1), -1);
  EXPECT_EQ(stages.copies_of(2), 1);
}

TEST(RunStages, a_stage_that_two_ranks_hold_has_two_copies) {
  diagnose::RunStages stages;
  stages.add(0, 0), stages.add(1, 0);
  EXPECT_EQ(stages.copies_of(0), 2);
  EXPECT_EQ(stages.copies_of(7), 1);
}

TEST(RunStages, no_pass_is_no_placement) { EXPECT_TRUE(diagnose::RunStages().placement().empty()); }

}  // namespace
}  // namespace pipewright::test
