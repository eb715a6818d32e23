#include "diagnose/pipeline_group.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using diagnose::PipelineGroup;

TEST(PipelineGroup, what_goes_to_the_next_stage_is_of_a_forward_pass) {
  const ProfiledCollective group{.ranks = "[4, 6, 8, 10]"};
  const PipelineGroup second(&group, 1);
  EXPECT_EQ(second.way_of({.sent = true, .peer = 8}), OperationKind::forward);
  EXPECT_EQ(second.way_of({.sent = false, .peer = 4}), OperationKind::forward);
  EXPECT_EQ(second.way_of({.sent = true, .peer = 4}), OperationKind::backward);
  EXPECT_EQ(second.way_of({.sent = false, .peer = 8}), OperationKind::backward);
}

TEST(PipelineGroup, nobody_knows_the_way_to_who_is_no_neighbour_or_both) {
  const ProfiledCollective group{.ranks = "[4, 6, 8, 10]"}, two{.ranks = "[4, 6]"};
  EXPECT_FALSE(PipelineGroup(&group, 1).way_of({.sent = true, .peer = 10}));
  EXPECT_FALSE(PipelineGroup(&group, 1).way_of({.sent = true, .peer = 5}));
  EXPECT_FALSE(PipelineGroup(&two, 0).way_of({.sent = true, .peer = 6}));
  EXPECT_FALSE(PipelineGroup(nullptr, 0).way_of({.sent = true, .peer = 6}));
}

TEST(PipelineGroup, ranks_of_several_stages_sum_over_them) {
  const ProfiledCollective group{.ranks = "[0, 2]"};
  const PipelineGroup pipeline(&group, 0);
  EXPECT_TRUE(pipeline.sums_over_stages({.ranks = "[0, 1, 2, 3]"}));
  EXPECT_FALSE(pipeline.sums_over_stages({.ranks = "[0, 1]"}));
}

}  // namespace
}  // namespace pipewright::test
