#include "result/accounts/participants.hpp"

#include <gtest/gtest.h>

#include "support/two_ranks.hpp"

namespace pipewright::test {
namespace {

TEST(Participants, a_message_is_its_sender_s_and_its_receiver_s) {
  const TwoRanks two;
  const Participants participants(two.program, two.timeline);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    ASSERT_EQ(participants.of(rank).size(), 1u);
    EXPECT_EQ(participants.of(rank)[0], two.message);
  }
  EXPECT_EQ(traffic_of(two.program, two.message), Traffic::pipeline);
}

TEST(Participants, a_collective_is_all_its_members) {
  ProgramBuilder builder;
  for (int32_t device = 0; device < 3; ++device)
    builder.program.ranks.push_back({.tensor = device, .device = device});
  builder.program.types = {{.kind = OpKind::collective, .traffic = Traffic::tensor}};
  builder.program.groups = {{0, 2}};
  builder.add({.type = 0, .rank = 0, .peer = 0});
  const Program program = std::move(builder).finish();
  const Timeline timeline{.spans = {{{0}, {0}, {1}}}, .executor = ""};
  const Participants participants(program, timeline);
  EXPECT_EQ(participants.of(0).size(), 1u);
  EXPECT_EQ(participants.of(1).size(), 0u);
  EXPECT_EQ(participants.of(2).size(), 1u);
}

}  // namespace
}  // namespace pipewright::test
