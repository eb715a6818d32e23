#include "engine/engine.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace pipewright {
namespace {

// Three ops of one ready_first lane, 10 long each. a is ready at 0; b waits for an op off the lane
// that ends at 5; c for one that ends at 3: c overtakes b, though b stands before it.
TEST(Events, a_ready_first_lane_takes_what_was_ready_first) {
  ProgramBuilder builder;
  builder.program.ranks.push_back({});
  builder.program.types.push_back({});
  const LaneId lane = builder.add_lane(0, Stream::compute, LanePolicy::ready_first);
  const OpId a = builder.add({}), b = builder.add({}), c = builder.add({});
  for (const OpId op : {a, b, c}) builder.append(lane, op);
  const OpId late = builder.add({}), early = builder.add({});
  builder.depend(late, b);
  builder.depend(early, c);
  const Program program = std::move(builder).finish();
  const std::vector<Time> durations = {{10}, {10}, {10}, {5}, {3}};
  const Timeline timeline = simulate(program, durations);
  EXPECT_EQ(timeline.spans[a].start.ps, 0);
  EXPECT_EQ(timeline.spans[c].start.ps, 10);
  EXPECT_EQ(timeline.spans[b].start.ps, 20);
  EXPECT_EQ(timeline.spans[b].ready.ps, 5);
}

// Both ready at 4: the tie goes by id, whichever end was processed first.
TEST(Events, ties_on_a_ready_first_lane_go_by_id) {
  ProgramBuilder builder;
  builder.program.ranks.push_back({});
  builder.program.types.push_back({});
  const LaneId lane = builder.add_lane(0, Stream::compute, LanePolicy::ready_first);
  const OpId x = builder.add({}), y = builder.add({});
  const OpId first = builder.add({}), second = builder.add({});
  builder.append(lane, first);
  builder.append(lane, second);
  builder.depend(x, second);
  builder.depend(y, first);
  const Program program = std::move(builder).finish();
  const std::vector<Time> durations = {{4}, {4}, {1}, {1}};
  const Timeline timeline = simulate(program, durations);
  EXPECT_EQ(timeline.spans[first].start.ps, 4);
  EXPECT_EQ(timeline.spans[second].start.ps, 5);
}

TEST(Events, both_engines_refuse_times_beyond_the_clock) {
  ProgramBuilder builder;
  builder.program.ranks.push_back({});
  builder.program.types.push_back({});
  const LaneId lane = builder.add_lane(0, Stream::compute);
  for (int k = 0; k < 2; ++k) builder.append(lane, builder.add({}));
  const Program program = std::move(builder).finish();
  const std::vector<Time> durations(2, Time{INT64_MAX / 2 + 1});
  EXPECT_THROW(run_events(program, durations), Failure);
  EXPECT_THROW(run_longest_path(program, durations), Failure);
}

}  // namespace
}  // namespace pipewright
