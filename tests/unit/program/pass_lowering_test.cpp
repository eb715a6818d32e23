#include "program/pass_lowering.hpp"

#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

using schedule::Action;
using schedule::Pass;

struct Lowered {
  Schedule schedule = schedule::build({.ranks = 1, .micro_batches = 2}, config::scalar("gpipe"));
  LoweringInput input{
      .schedule = schedule, .stages = stages_of(schedule, Times{}), .grid = grid_of(1)};
  std::optional<ProgramDraft> draft;
  std::optional<LoweredRank> rank;
  std::optional<PassLowering> passes;

  void begin() {
    draft.emplace(input);
    rank.emplace(*draft, 0);
    rank->select(0, 1);
    passes.emplace(*draft, *rank);
  }
  void lower(Pass pass, bool last) { passes->lower({.pass = pass}, last, false); }
};

TEST(PassLowering, ends_of_parts_are_those_of_the_completing_pass) {
  Lowered lowered;
  for (const int part : {1, 0})
    lowered.input.stages[0].last_backward.push_back({.kernels = {Work{}}, .part = part});
  lowered.begin();
  lowered.lower(Pass::forward, false);
  lowered.lower(Pass::backward, true);
  EXPECT_EQ(lowered.passes->take_ends_of_parts(0, 0), (std::vector<OpId>{1, 2}));
  EXPECT_EQ(lowered.passes->take_ends_of_parts(0, 0), std::vector<OpId>{2});
}

TEST(PassLowering, a_pass_of_several_segments_begins_with_the_first_and_ends_with_the_last) {
  Lowered lowered;
  lowered.input.stages[0].forward.resize(3);
  lowered.begin();
  lowered.lower(Pass::forward, false);
  EXPECT_EQ(lowered.draft->ends.first({}, 0), 0u);
  EXPECT_EQ(lowered.draft->ends.last({}, 0), 2u);
}

}  // namespace
}  // namespace pipewright::test
