#include "program/program_draft.hpp"

#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

Schedule gpipe(int ranks) {
  return schedule::build({.ranks = ranks, .micro_batches = 2}, config::scalar("gpipe"));
}

TEST(ProgramDraft, ranks_of_the_program_stand_by_pipeline_rank) {
  const Schedule schedule = gpipe(2);
  const LoweringInput input{
      .schedule = schedule, .stages = stages_of(schedule, Times{}), .grid = grid_of(2, 2, 3)};
  const ProgramDraft draft(input);
  EXPECT_EQ(draft.widest, 6u);
  EXPECT_EQ(draft.program_rank(1, 4), 10u);
  const ProgramRank& rank = draft.builder.program.ranks[10];
  EXPECT_EQ(rank.pipeline, 1);
  EXPECT_EQ(rank.data, 2);
  EXPECT_EQ(rank.device, input.grid.device(1, 0, 2));
}

TEST(PassEnds, halves_of_a_backward_have_one_place) {
  const Schedule schedule = gpipe(2);
  PassEnds ends(schedule, 1);
  const schedule::Action backward{.pass = schedule::Pass::backward, .stage = 1, .micro_batch = 1};
  schedule::Action input_gradient = backward, forward = backward;
  input_gradient.pass = schedule::Pass::input_gradient;
  forward.pass = schedule::Pass::forward;
  ends.last(backward, 0) = 7;
  EXPECT_EQ(ends.last(input_gradient, 0), 7u);
  EXPECT_EQ(ends.last(forward, 0), none);
  EXPECT_EQ(ends.first(backward, 0), none);
}

}  // namespace
}  // namespace pipewright::test
