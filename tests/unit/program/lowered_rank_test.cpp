#include "program/lowered_rank.hpp"

#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

struct Lowered {
  Schedule schedule = schedule::build({.ranks = 1, .micro_batches = 2}, config::scalar("gpipe"));
  LoweringInput input{
      .schedule = schedule, .stages = stages_of(schedule, Times{}), .grid = grid_of(1, 2, 3)};
  ProgramDraft draft{input};
  LoweredRank rank{draft, 0};

  OpId add(int chain) { return rank.add_compute(0, draft.types.marker(), {}, {chain, chain + 1}); }
};

TEST(LoweredRank, groups_join_the_members_along_an_axis) {
  Lowered lowered;
  lowered.rank.select(0, 6);
  EXPECT_EQ(lowered.rank.groups(Axis::tensor).size(), 3u);
  EXPECT_EQ(lowered.rank.groups(Axis::data).size(), 2u);
}

// Two tensor ranks of each of three replicas.
TEST(LoweredRank, groups_are_those_of_the_selected_members) {
  Lowered lowered;
  lowered.rank.select(2, 4);
  EXPECT_EQ(lowered.rank.selected().size(), 2u);
  ASSERT_EQ(lowered.rank.groups(Axis::tensor).size(), 1u);
  EXPECT_EQ(lowered.rank.groups(Axis::tensor).front()->members, (std::vector<uint32_t>{2, 3}));
  EXPECT_TRUE(lowered.rank.groups(Axis::data).empty());  // they begin with the first replica
}

// What is in flight of chain 0 is not what an op of chain 1 waits for; an op of no chain waits for
// all.
TEST(LoweredRank, an_op_waits_for_its_chain) {
  Lowered lowered;
  Server& server = lowered.rank.server(0, false);
  server.previous = {{lowered.add(0), 0}, {lowered.add(0), 1}};
  lowered.add(1);
  ASSERT_EQ(server.previous.size(), 1u);
  EXPECT_EQ(server.previous[0].chain, 0);
  lowered.rank.add_compute(0, lowered.draft.types.marker(), {});
  EXPECT_TRUE(server.previous.empty());
  EXPECT_EQ(lowered.rank.newest(0), 3u);
}

}  // namespace
}  // namespace pipewright::test
