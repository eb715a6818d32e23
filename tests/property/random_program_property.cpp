// The two engines on random programs: they share no code, so what they agree on is the rule itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "engine/engine.hpp"
#include "support/random.hpp"

namespace pipewright {
namespace {

using test::Random;

struct Shape {
  uint32_t ops, lanes;
  LanePolicy policy = LanePolicy::in_order;
};

constexpr uint32_t compute = 0, message = 1;

/// Ops in a random order that every lane and dependency follows; half of the lengths are small, so
/// that many things happen at one time, and many are zero.
struct RandomProgram {
  ProgramBuilder builder;
  std::vector<OpId> order;
  std::vector<Time> durations;

  RandomProgram(Random& random, const Shape& shape) : order(shape.ops) {
    builder.program.ranks.push_back({});
    builder.program.types = {{}, {.kind = OpKind::transfer}};
    for (uint32_t k = 0; k < shape.lanes; ++k) builder.add_lane(0, Stream::compute, shape.policy);
    for (uint32_t k = 0; k < shape.ops; ++k) {
      builder.add({.type = compute, .peer = 0});
      durations.push_back({random.below(random.one_in(2) ? 4 : 1000)});
    }
    std::iota(order.begin(), order.end(), OpId{0});
    if (shape.policy == LanePolicy::in_order) std::ranges::shuffle(order, random.bits);
    for (uint32_t k = 1; k < shape.ops; ++k)
      for (; !random.one_in(2);) builder.depend(order[random.below(k)], order[k]);
  }

  /// An op in a lane, in none or, in order, in several.
  void join_lanes(Random& random, const Shape& shape) {
    for (const OpId op : order) {
      if (shape.lanes == 0 || random.one_in(4)) continue;
      const LaneId lane = random.below(shape.lanes);
      builder.append(lane, op);
      const bool second = shape.policy == LanePolicy::in_order && random.one_in(5);
      if (second && lane + 1 < shape.lanes) builder.append(lane + 1, op);
    }
  }
};

void expect_same(const Timeline& a, const Timeline& b) {
  ASSERT_EQ(a.spans.size(), b.spans.size());
  for (size_t op = 0; op < a.spans.size(); ++op) {
    ASSERT_EQ(a.spans[op].ready, b.spans[op].ready) << op;
    ASSERT_EQ(a.spans[op].start, b.spans[op].start) << op;
    ASSERT_EQ(a.spans[op].end, b.spans[op].end) << op;
  }
}

TEST(RandomPrograms, both_engines_give_every_op_the_same_times) {
  Random random{std::mt19937_64(11)};
  for (int round = 0; round < 300; ++round) {
    const Shape shape{1 + random.below(200), random.below(8)};
    RandomProgram made(random, shape);
    made.join_lanes(random, shape);
    const Program program = std::move(made.builder).finish();
    SCOPED_TRACE(round);
    expect_same(run_events(program, made.durations), run_longest_path(program, made.durations));
  }
}

// A lane whose every op depends on the one before it leaves nothing to choose.
TEST(RandomPrograms, a_lane_without_a_choice_is_a_lane_in_order) {
  Random random{std::mt19937_64(12)};
  for (int round = 0; round < 200; ++round) {
    const Shape shape{1 + random.below(200), 1 + random.below(8), LanePolicy::ready_first};
    RandomProgram made(random, shape);
    ProgramBuilder in_order = made.builder;
    for (Lane& lane : in_order.program.lanes) lane.policy = LanePolicy::in_order;
    std::vector<OpId> last(shape.lanes, none);
    for (const OpId op : made.order) {
      const LaneId lane = random.below(shape.lanes);
      made.builder.append(lane, op);
      in_order.append(lane, op);
      if (last[lane] != none) made.builder.depend(last[lane], op);
      last[lane] = op;
    }
    const Timeline chosen = run_events(std::move(made.builder).finish(), made.durations);
    const Timeline expected = run_longest_path(std::move(in_order).finish(), made.durations);
    SCOPED_TRACE(round);
    for (size_t op = 0; op < made.durations.size(); ++op) {
      ASSERT_EQ(chosen.spans[op].start, expected.spans[op].start) << op;
      ASSERT_EQ(chosen.spans[op].end, expected.spans[op].end) << op;
    }
  }
}

/// No op of a lane runs while another does, the lane never idles while one of them could run, and
/// of those the one that was ready first goes first.
void expect_ready_first(const Program& open, const Program& settled, const Timeline& timeline) {
  for (LaneId lane = 0; lane < open.lanes.size(); ++lane) {
    if (open.lanes[lane].policy != LanePolicy::ready_first) continue;
    Time free;
    const std::span<const OpId> order = settled.order(lane);
    for (size_t k = 0; k < order.size(); ++k) {
      const Span& span = timeline.spans[order[k]];
      ASSERT_EQ(span.start, std::max(span.ready, free));
      for (size_t later = k + 1; later < order.size(); ++later)
        ASSERT_GE(timeline.spans[order[later]].ready, span.ready);
      free = span.end;
    }
  }
}

TEST(RandomPrograms, what_was_ready_first_ran_first_and_the_settled_program_says_the_same) {
  Random random{std::mt19937_64(13)};
  for (int round = 0; round < 200; ++round) {
    const Shape shape{1 + random.below(150), 1 + random.below(4), LanePolicy::ready_first};
    RandomProgram made(random, shape);
    made.join_lanes(random, shape);
    const Program open = std::move(made.builder).finish();
    Decisions decisions;
    const Timeline timeline = run_events(open, made.durations, &decisions);
    const Program settled = settle(open, decisions);
    SCOPED_TRACE(round);
    expect_ready_first(open, settled, timeline);
    expect_same(run_longest_path(settled, made.durations), timeline);
  }
}

// The k-th message to start belongs to the k-th receiver to become ready.
TEST(RandomPrograms, messages_go_to_receivers_in_the_order_of_time) {
  Random random{std::mt19937_64(14)};
  for (int round = 0; round < 200; ++round) {
    ProgramBuilder builder;
    builder.program.ranks.push_back({});
    builder.program.types = {{}, {.kind = OpKind::transfer}};
    const LaneId channel = builder.add_lane(0, Stream::data, LanePolicy::matching);
    std::vector<Time> durations;
    std::vector<int64_t> sent, ready;
    std::vector<OpId> messages, receivers;
    for (uint32_t k = 0, count = 1 + random.below(40); k < count; ++k) {
      for (const uint32_t type : {message, compute}) {
        const OpId trigger = builder.add({.type = compute});
        durations.push_back({random.below(50)});
        const OpId op = builder.add({.type = type, .peer = 0});
        builder.depend(trigger, op);
        builder.append(channel, op);
        (type == message ? sent : ready).push_back(durations.back().ps);
        (type == message ? messages : receivers).push_back(op);
        durations.push_back({type == message ? random.below(100) : 0});
      }
    }
    const Timeline timeline = run_events(std::move(builder).finish(), durations);
    const auto in_time = [](std::vector<OpId>& ops, const std::vector<int64_t>& times) {
      std::vector<size_t> place(ops.size());
      std::iota(place.begin(), place.end(), size_t{0});
      std::ranges::stable_sort(place, {}, [&](size_t k) { return times[k]; });
      std::vector<OpId> sorted;
      for (const size_t k : place) sorted.push_back(ops[k]);
      ops = sorted;
    };
    in_time(messages, sent);
    in_time(receivers, ready);
    std::ranges::sort(ready);
    SCOPED_TRACE(round);
    for (size_t k = 0; k < messages.size(); ++k) {
      const Time arrival = timeline.spans[messages[k]].end;
      ASSERT_EQ(timeline.spans[receivers[k]].end, std::max(arrival, Time{ready[k]}));
    }
  }
}

}  // namespace
}  // namespace pipewright
