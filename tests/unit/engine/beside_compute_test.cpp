#include "engine/beside_compute.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

/// One rank whose compute lane has `ops` ops. A collective waits for the first of them, and op
/// `follower`, if there is one, waits for it.
std::vector<RankBesideCompute> beside_one(uint32_t ops, OpId follower) {
  ProgramBuilder builder;
  builder.program.ranks.emplace_back();
  builder.program.types = {{.kind = OpKind::compute}, {.kind = OpKind::collective}};
  builder.program.groups = {{0, 1}};
  const LaneId compute = builder.add_lane(0, Stream::compute);
  const LaneId data = builder.add_lane(0, Stream::data);
  for (uint32_t k = 0; k < ops; ++k) builder.append(compute, builder.add({.type = 0}));
  const OpId collective = builder.add({.type = 1, .peer = 0});
  builder.append(data, collective);
  builder.depend(0, collective);
  if (follower != none) builder.depend(collective, follower);
  return beside_compute(std::move(builder).finish());
}

TEST(BesideCompute, is_what_stands_between_the_neighbours_of_a_collective) {
  const std::vector<RankBesideCompute> found = beside_one(4, 3);
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].collectives.size(), 1U);
  EXPECT_EQ(found[0].collectives[0].collective, 4U);
  EXPECT_EQ(found[0].collectives[0].after, 0U);
  EXPECT_EQ(found[0].collectives[0].before, 3U);
}

TEST(BesideCompute, is_none_where_the_neighbours_follow_each_other) {
  EXPECT_TRUE(beside_one(2, 1)[0].collectives.empty());
}

TEST(BesideCompute, goes_on_to_the_end_where_nothing_waits) {
  const std::vector<RankBesideCompute> found = beside_one(3, none);
  ASSERT_EQ(found[0].collectives.size(), 1U);
  EXPECT_EQ(found[0].collectives[0].before, 3U);
}

}  // namespace
}  // namespace pipewright
