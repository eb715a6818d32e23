#include "result/accounts/idle_time.hpp"

#include <gtest/gtest.h>

#include "support/two_ranks.hpp"

namespace pipewright::test {
namespace {

// Rank 1 waits 10 for rank 0, 5 for the message and 5 for nobody that it knows.
TEST(IdleTime, is_exposed_while_a_message_is_under_way_and_bubble_else) {
  const TwoRanks two;
  IdleTime idle(two.program, two.timeline);
  idle.start_rank(1);
  Breakdown breakdown;
  idle.account({Time{}, picoseconds(20), two.second}, breakdown);
  EXPECT_EQ(breakdown[Traffic::pipeline], picoseconds(5));
  EXPECT_EQ(breakdown.bubble, picoseconds(15));
}

TEST(IdleTime, of_a_device_alone_is_its_host_s) {
  ProgramBuilder builder;
  builder.program.ranks.push_back({});
  builder.program.types.push_back({});
  builder.add_lane(0, Stream::compute);
  const OpId op = builder.add({.type = 0, .rank = 0, .lane = 0});
  builder.append(0, op);
  const Program program = std::move(builder).finish();
  const Timeline timeline{.spans = {{{0}, {4}, {9}}}, .executor = ""};
  IdleTime idle(program, timeline);
  idle.start_rank(0);
  Breakdown breakdown;
  idle.account({Time{}, picoseconds(4), op}, breakdown);
  EXPECT_EQ(breakdown.host, picoseconds(4));
}

}  // namespace
}  // namespace pipewright::test
