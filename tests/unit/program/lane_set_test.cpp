#include "program/lane_set.hpp"

#include <gtest/gtest.h>

#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

Schedule gpipe() {
  return schedule::build({.ranks = 1, .micro_batches = 1}, config::scalar("gpipe"));
}

TEST(LaneSet, a_rank_has_three_lanes_where_nothing_asks_for_more) {
  const Schedule schedule = gpipe();
  const LaneSet lanes({.schedule = schedule, .grid = grid_of(1)});
  EXPECT_EQ(lanes.streams(), (std::vector{Stream::compute, Stream::tensor, Stream::data}));
  EXPECT_EQ(lanes.lane(2, Stream::data), 8u);
}

TEST(LaneSet, what_the_host_keeps_has_lanes_of_its_own) {
  const Schedule schedule = gpipe();
  LoweringInput input{.schedule = schedule, .grid = grid_of(1, 1, 4)};
  input.grid.meshes[0].shard = 2;
  input.offloaded.stages.resize(1);
  const LaneSet lanes(input);
  EXPECT_EQ(lanes.streams().size(), 9u);
  EXPECT_EQ(lanes.lane(0, Stream::copies), 3u);
  EXPECT_EQ(lanes.lane(1, Stream::host), 17u);
}

}  // namespace
}  // namespace pipewright::test
