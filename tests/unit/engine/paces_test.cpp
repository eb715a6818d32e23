#include "engine/paces.hpp"

#include <gtest/gtest.h>

#include "engine/engine.hpp"

namespace pipewright {
namespace {

constexpr int per_rank = 40, left_out = 100;

/// Two ranks that run 40 micro-batches, of 3 ps and of 4 ps, and then an op together. One in the
/// midst stands for 100 more. If told, the second rank waits for each of the first.
struct TwoPaces {
  Program program;
  Timeline timeline;
  OpId last = none;

  explicit TwoPaces(bool waits) {
    ProgramBuilder builder;
    builder.program.ranks.resize(2);
    builder.program.types = {{.kind = OpKind::compute}, {.kind = OpKind::step}};
    const LaneId lanes[] = {builder.add_lane(0, Stream::compute),
                            builder.add_lane(1, Stream::compute)};
    std::vector<Time> durations;
    for (int b = 0; b < per_rank; ++b) {
      OpId ops[2];
      for (uint32_t rank = 0; rank < 2; ++rank) {
        ops[rank] = builder.add({.type = 0, .rank = rank, .lane = lanes[rank], .micro_batch = b});
        builder.append(lanes[rank], ops[rank]);
        durations.push_back({3 + rank});
      }
      if (waits) builder.depend(ops[0], ops[1]);
    }
    last = builder.add({.type = 1, .lane = lanes[0]});
    for (const LaneId lane : lanes) builder.append(lane, last);
    durations.push_back({5});
    program = std::move(builder).finish();
    program.repeated = {.first = {20}, .count = 1, .again = left_out};
    timeline = simulate(program, durations);
  }
};

TEST(Paces, are_of_ranks_that_do_nothing_together_in_the_meantime) {
  const TwoPaces apart(false), together(true);
  const RankGroups two = coupled_ranks(apart.program, apart.timeline, nullptr);
  EXPECT_EQ(two.count, 2u);
  EXPECT_NE(two.of(0), two.of(1));
  EXPECT_EQ(coupled_ranks(together.program, together.timeline, nullptr).count, 1u);
}

// All 140 micro-batches take 420 and 560 ps. So the op that both do starts at 560 and ends at 565.
TEST(Paces, let_ranks_meet_when_the_slower_one_is_done) {
  TwoPaces run(false);
  const RankGroups groups = coupled_ranks(run.program, run.timeline, nullptr);
  run.timeline.paces = {{{.begin = {30}, .period = {3}, .again = left_out}},
                        {{.begin = {40}, .period = {4}, .again = left_out}}};
  const auto met = with_pauses(run.program, groups, nullptr, run.timeline);
  ASSERT_TRUE(met);
  EXPECT_EQ(met->end().ps, 565);
  EXPECT_EQ(met->unfolded(0, met->spans[run.last].start).ps, 560);
  EXPECT_EQ(met->paces[0][0].pause.ps, 0);
  EXPECT_EQ(met->paces[1][0].pause.ps, 100);
}

// The op that both do lies in what the first rank would repeat.
TEST(Paces, are_none_where_ranks_meet_within_a_period) {
  TwoPaces run(false);
  const RankGroups groups = coupled_ranks(run.program, run.timeline, nullptr);
  run.timeline.paces = {{{.begin = {159}, .period = {3}, .again = left_out}},
                        {{.begin = {40}, .period = {4}, .again = left_out}}};
  EXPECT_FALSE(with_pauses(run.program, groups, nullptr, run.timeline));
}

}  // namespace
}  // namespace pipewright
