#include "engine/repetition.hpp"

#include <gtest/gtest.h>

#include "engine/engine.hpp"

namespace pipewright {
namespace {

constexpr int micro_batches = 40;

/// One rank that runs `micro_batches` ops one after the other, those of `odd` and even ones as long
/// as told, after an op of `before`.
struct OneLane {
  Program program;
  Timeline timeline;

  OneLane(int64_t before, int64_t even, int64_t odd) {
    ProgramBuilder builder;
    builder.program.ranks.push_back({});
    builder.program.types = {{.kind = OpKind::step}, {.kind = OpKind::compute}};
    const LaneId lane = builder.add_lane(0, Stream::compute);
    builder.append(lane, builder.add({.type = 0}));
    std::vector<Time> durations = {{before}};
    for (int b = 0; b < micro_batches; ++b) {
      builder.append(lane, builder.add({.type = 1, .micro_batch = b}));
      durations.push_back({b % 2 == 0 ? even : odd});
    }
    program = std::move(builder).finish();
    timeline = simulate(program, durations);
  }

  std::optional<RepeatedPeriods> find() {
    program.repeated = {.first = {20}, .count = 1, .again = 100};
    return PeriodFinder(program, std::vector<bool>(program.ops.size(), true), 1)
        .find(timeline.spans);
  }
};

TEST(Repetition, is_found_once_the_run_is_steady) {
  const auto found = OneLane(50, 3, 3).find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->micro_batches, 1);
  ASSERT_EQ(found->periods.size(), 1u);
  EXPECT_EQ(found->periods[0].period.ps, 3);
  // The first op repeats none before it, and a period of history comes before what is repeated.
  EXPECT_EQ(found->periods[0].begin.ps, 50 + 3 + 3);
}

TEST(Repetition, may_take_several_micro_batches) {
  const auto found = OneLane(50, 3, 4).find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->micro_batches, 2);
  EXPECT_EQ(found->periods[0].period.ps, 7);
}

TEST(Repetition, is_not_found_where_every_micro_batch_takes_longer) {
  ProgramBuilder builder;
  builder.program.ranks.push_back({});
  builder.program.types.push_back({});
  const LaneId lane = builder.add_lane(0, Stream::compute);
  std::vector<Time> durations;
  for (int b = 0; b < micro_batches; ++b) {
    builder.append(lane, builder.add({.micro_batch = b}));
    durations.push_back({10 + b});
  }
  Program program = std::move(builder).finish();
  program.repeated = {.first = {20}, .count = 1, .again = 100};
  PeriodFinder finder(program, std::vector<bool>(program.ops.size(), true), 1);
  EXPECT_FALSE(finder.find(simulate(program, durations).spans));
}

// What happens at 20 happens again at 30, 40 and 50; what follows it at 35 does so at 65.
TEST(Repetition, tells_the_times_that_it_leaves_out) {
  Timeline timeline{{{{0}, {15}, {25}}, {{0}, {20}, {30}}, {{0}, {35}, {45}}}, "simulated", {}};
  timeline.repetitions = {{.begin = {20}, .period = {10}, .again = 3}};
  EXPECT_EQ(timeline.times(timeline.spans[0]), 1);
  EXPECT_EQ(timeline.times(timeline.spans[1]), 4);
  EXPECT_EQ(timeline.times(timeline.spans[2]), 1);
  EXPECT_EQ(timeline.unfolded({29}).ps, 29);
  EXPECT_EQ(timeline.unfolded({35}).ps, 65);
  EXPECT_EQ(timeline.end().ps, 75);
  EXPECT_EQ(timeline.folded({19}).ps, 19);
  EXPECT_EQ(timeline.folded({47}).ps, 27);
  EXPECT_EQ(timeline.folded({65}).ps, 35);
}

}  // namespace
}  // namespace pipewright
