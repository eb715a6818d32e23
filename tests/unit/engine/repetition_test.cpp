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

  std::vector<RepeatedPeriods> find() {
    program.repeated = {.first = {20}, .count = 1, .again = 100};
    return PeriodFinder(program, {}, std::vector<bool>(program.ops.size(), true), 1)
        .find(timeline.spans);
  }
};

TEST(Repetition, is_found_once_the_run_is_steady) {
  const auto found = OneLane(50, 3, 3).find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].micro_batches, 1);
  ASSERT_EQ(found[0].periods.size(), 1u);
  EXPECT_EQ(found[0].periods[0].period.ps, 3);
  // The first op repeats none before it, and a period of history comes before what is repeated.
  EXPECT_GE(found[0].periods[0].begin.ps, 50 + 3 + 3);
  EXPECT_LE(found[0].periods[0].begin.ps, 50 + 3 * (micro_batches - 2));
}

TEST(Repetition, may_take_several_micro_batches) {
  const auto found = OneLane(50, 3, 4).find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].micro_batches, 2);
  EXPECT_EQ(found[0].periods[0].period.ps, 7);
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
  PeriodFinder finder(program, {}, std::vector<bool>(program.ops.size(), true), 1);
  EXPECT_TRUE(finder.find(simulate(program, durations).spans).empty());
}

// What happens at 20 happens again at 30, 40 and 50; what follows it at 35 does so at 65.
TEST(Repetition, tells_the_times_that_it_leaves_out) {
  Timeline timeline{{{{0}, {15}, {25}}, {{0}, {20}, {30}}, {{0}, {35}, {45}}}, "simulated", {}};
  timeline.paces = {{{.begin = {20}, .period = {10}, .again = 3}}};
  EXPECT_EQ(timeline.times(0, timeline.spans[0]), 1);
  EXPECT_EQ(timeline.times(0, timeline.spans[1]), 4);
  EXPECT_EQ(timeline.times(0, timeline.spans[2]), 1);
  EXPECT_EQ(timeline.unfolded(0, {29}).ps, 29);
  EXPECT_EQ(timeline.unfolded(0, {35}).ps, 65);
  EXPECT_EQ(timeline.end().ps, 75);
  EXPECT_EQ(timeline.folded(0, {19}).ps, 19);
  EXPECT_EQ(timeline.folded(0, {47}).ps, 27);
  EXPECT_EQ(timeline.folded(0, {65}).ps, 35);
}

// The slower rank leaves out 3 x 2 more than the other, and waits for so long in the spans.
TEST(Repetition, of_a_slower_rank_is_followed_by_a_pause) {
  Timeline timeline{{{{0}, {35}, {45}}, {{0}, {43}, {45}}}, "simulated", {}};
  timeline.paces = {{{.begin = {20}, .period = {10}, .again = 3}},
                    {{.begin = {20}, .period = {12}, .again = 3, .pause = {6}}}};
  timeline.pace_of = {0, 1};
  EXPECT_EQ(timeline.unfolded(0, {35}).ps, 65);
  EXPECT_EQ(timeline.unfolded(1, {43}).ps, 73);
  EXPECT_EQ(timeline.end().ps, 75);
  const Repetitions slower = timeline.repetitions(1);
  EXPECT_EQ(without_pauses(slower, Time{31}).ps, 31);
  EXPECT_EQ(without_pauses(slower, Time{36}).ps, 32);
  EXPECT_EQ(without_pauses(slower, Time{43}).ps, 37);
  EXPECT_EQ(with_pauses(slower, {37}).ps, 43);
  EXPECT_EQ(pause_between(slower, {31}, {38}).ps, 6);
  EXPECT_EQ(pause_between(slower, {38}, {45}).ps, 0);
}

}  // namespace
}  // namespace pipewright
