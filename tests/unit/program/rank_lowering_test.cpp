#include "program/rank_lowering.hpp"

#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

// Two replicas that nothing couples: the ops of the first come before those of the second.
TEST(RankLowering, replicas_are_lowered_so_many_at_a_time) {
  const Schedule schedule =
      schedule::build({.ranks = 1, .micro_batches = 2}, config::scalar("gpipe"));
  const LoweringInput input{
      .schedule = schedule, .stages = stages_of(schedule, Times{}), .grid = grid_of(1, 1, 2)};
  const RankOrders orders = order_ranks(schedule, SendMode::async);
  for (const uint32_t together : {1u, 2u}) {
    ProgramDraft draft(input);
    LoweredMessages messages(draft, orders.messages);
    Updates updates(draft);
    RankLowering(draft, messages, updates, 0).run(orders.steps[0], together);
    const std::vector<Op>& ops = draft.builder.program.ops;
    ASSERT_EQ(ops.size(), 8u);
    EXPECT_EQ(ops[1].rank, together - 1);
    EXPECT_EQ(ops[7].rank, 1u);
  }
}

}  // namespace
}  // namespace pipewright::test
