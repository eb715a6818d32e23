#include "diagnose/rank_actions.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using diagnose::Placement;
using diagnose::placement_of;
using interop::PipelineAction;
using Kind = interop::PipelineActionKind;

TEST(RankActions, a_chunk_is_the_place_of_its_stage_among_those_of_the_rank) {
  diagnose::DeviceWork work;
  work.actions = {{Kind::forward, 6, 0}, {Kind::weights, 9}, {Kind::forward, 2, 0}};
  const diagnose::RankActions actions(work);
  EXPECT_TRUE(actions.known());
  EXPECT_EQ(actions.stages(), (std::vector<int32_t>{2, 6}));
  EXPECT_EQ(actions.chunk_of({Kind::backward, 6, 3}), 1);
  EXPECT_EQ(actions.at(-1), nullptr);
  EXPECT_EQ(actions.at(2)->stage, 2);
}

TEST(RankActions, actions_that_name_no_stage_are_of_one_chunk) {
  diagnose::DeviceWork work;
  work.actions = {{Kind::forward, -1, 4}};
  const diagnose::RankActions actions(work);
  EXPECT_TRUE(actions.stages().empty());
  EXPECT_EQ(actions.chunk_of(work.actions[0]), 0);
}

TEST(RankActions, a_message_goes_the_way_of_its_action) {
  using enum OperationKind;
  EXPECT_EQ(diagnose::kind_of_message({Kind::forward_send, 0, 0}, nullptr), forward_send);
  EXPECT_EQ(diagnose::kind_of_message({Kind::backward_recv, 0, 0}, nullptr), backward_recv);
  const ProfiledCollective sent{.name = "send"}, received{.name = "recv"};
  EXPECT_EQ(diagnose::kind_of_message({Kind::forward, -1, 0}, &sent), forward_send);
  EXPECT_EQ(diagnose::kind_of_message({Kind::backward, -1, 0}, &received), backward_recv);
  const ProfiledCollective batch{.name = "coalesced", .messages = {{.sent = true}}};
  EXPECT_EQ(diagnose::kind_of_message({Kind::backward, -1, 0}, &batch), backward_send);
}

TEST(RankActions, one_rank_tells_how_the_model_goes_through_all) {
  EXPECT_EQ(placement_of({{}, {1, 4}, {}}), (Placement{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(placement_of({{0, 5}, {}, {}}), (Placement{{0, 5}, {1, 4}, {2, 3}}));
  EXPECT_EQ(placement_of({{0}, {1}}), (Placement{{0}, {1}}));
}

TEST(RankActions, stages_that_go_no_such_way_have_no_placement) {
  EXPECT_TRUE(placement_of({{}, {}}).empty());
  EXPECT_TRUE(placement_of({{0, 1}, {2, 3}}).empty());
  EXPECT_TRUE(placement_of({{0, 3}, {1, 3}}).empty());
}

}  // namespace
}  // namespace pipewright::test
