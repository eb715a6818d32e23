#include "interop/pipeline_actions.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace pipewright::test {
namespace {

using interop::pipeline_actions;
using interop::PipelineAction;
using Kind = interop::PipelineActionKind;

auto parts_of(const PipelineAction& action) {
  return std::tuple(action.kind, action.stage, action.micro_batch);
}

void expect_action(std::string_view range, Kind kind, int32_t stage, int32_t micro_batch) {
  const auto actions = pipeline_actions(range);
  ASSERT_EQ(actions.size(), 1u) << range;
  EXPECT_EQ(parts_of(actions.front()), std::tuple(kind, stage, micro_batch)) << range;
}

TEST(PipelineActions, a_range_says_stage_action_and_micro_batch) {
  expect_action("PP:2F5", Kind::forward, 2, 5);
  expect_action("PP:10B12", Kind::backward, 10, 12);
  expect_action("PP:0I3", Kind::input_gradient, 0, 3);
  expect_action("PP:7W0", Kind::weight_gradient, 7, 0);
  expect_action("PP:3SEND_F1", Kind::forward_send, 3, 1);
  expect_action("PP:4RECV_F1", Kind::forward_recv, 4, 1);
  expect_action("PP:3SEND_B1", Kind::backward_send, 3, 1);
  expect_action("PP:2RECV_B1", Kind::backward_recv, 2, 1);
  expect_action("PP:1UNSHARD", Kind::weights, 1, -1);
  expect_action("PP:1REDUCE_GRAD", Kind::weights, 1, -1);
  expect_action("PP:1FULL_BACKWARD4", Kind::backward, 1, 4);
}

TEST(PipelineActions, gpipe_has_one_stage_a_rank) {
  expect_action("Forward 5", Kind::forward, -1, 5);
  expect_action("Backward 0", Kind::backward, -1, 0);
}

TEST(PipelineActions, passes_that_overlap_are_one_range) {
  const auto actions = pipeline_actions("PP:(0F1;3B0)OVERLAP_F_B");
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_EQ(parts_of(actions[0]), std::tuple(Kind::forward, 0, 1));
  EXPECT_EQ(parts_of(actions[1]), std::tuple(Kind::backward, 3, 0));
}

TEST(PipelineActions, other_ranges_are_none) {
  for (const char* range :
       {"", "PP:", "PP:F0", "PP:0", "PP:0F", "PP:0X1", "PP:0F-1", "PP:0F1x", "PP:99999999999F0",
        "PP:(0F1;3B0)", "PP:(0F1;oops)OVERLAP_F_B", "PP:(", "Forward", "Forward pass", "Forward -1",
        "Forwarding 3", "forward 3", "PP:-1F0", "PP:1F99999999"})
    EXPECT_TRUE(pipeline_actions(range).empty()) << range;
}

}  // namespace
}  // namespace pipewright::test
