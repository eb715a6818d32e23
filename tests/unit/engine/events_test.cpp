// Lanes whose order is decided while the program runs.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "engine/engine.hpp"

namespace pipewright {
namespace {

enum Type : uint32_t { compute, keeper, message };

/// A program of one rank whose ops are of the types above.
struct Builder : ProgramBuilder {
  std::vector<Time> durations;

  Builder() {
    program.ranks.push_back({});
    program.types = {{}, {.kind = OpKind::marker, .keeps_lane = true}, {.kind = OpKind::transfer}};
  }
  OpId op(int64_t length, LaneId lane = none, Type type = compute) {
    const OpId id = add({.type = type, .rank = 0, .peer = 0});
    durations.push_back({length});
    if (lane != none) append(lane, id);
    return id;
  }
};

struct Ran {
  Program program;
  std::vector<Time> durations;
  Decisions decisions;
  Timeline timeline;

  explicit Ran(Builder builder) : durations(builder.durations) {
    program = std::move(builder).finish();
    timeline = run_events(program, durations, &decisions);
  }
  int64_t start(OpId op) const { return timeline.spans[op].start.ps; }
  int64_t end(OpId op) const { return timeline.spans[op].end.ps; }
};

// z ends at 4, and so do the two ops of no length after it, one after the other; `late` (the last
// of them frees it) has the lower id and is ready at 4 too, so it goes first.
TEST(Events, everything_that_becomes_ready_at_an_instant_is_waited_for) {
  Builder b;
  const LaneId lane = b.add_lane(0, Stream::compute, LanePolicy::ready_first);
  const OpId late = b.op(1, lane), early = b.op(1, lane);
  const OpId z = b.op(4), first = b.op(0), second = b.op(0);
  b.depend(z, early);
  b.depend(z, first);
  b.depend(first, second);
  b.depend(second, late);
  const Ran ran(std::move(b));
  EXPECT_EQ(ran.start(late), 4);
  EXPECT_EQ(ran.start(early), 5);
}

// a runs 0..10. b is ready at 3 and c, of no length, at 5: b runs 10..14, then c at 14.
TEST(Events, an_op_of_no_length_waits_for_the_lane_too) {
  Builder b;
  const LaneId lane = b.add_lane(0, Stream::compute, LanePolicy::ready_first);
  const OpId a = b.op(10, lane), second = b.op(4, lane), third = b.op(0, lane);
  b.depend(b.op(3), second);
  b.depend(b.op(5), third);
  const Ran ran(std::move(b));
  EXPECT_EQ(ran.start(a), 0);
  EXPECT_EQ(ran.start(second), 10);
  EXPECT_EQ(ran.end(third), 14);
}

// The keeper and its op follow each other on the lane though `other` was ready before that op; what
// comes after the keeper starts beside it.
TEST(Events, a_kept_lane_goes_to_the_next_op) {
  Builder b;
  const LaneId lane = b.add_lane(0, Stream::compute, LanePolicy::ready_first);
  const OpId first = b.op(5, lane), mark = b.op(0, lane, keeper), body = b.op(7, lane);
  const OpId other = b.op(3, lane), beside = b.op(2);
  b.depend(b.op(1), mark);
  b.depend(mark, body);
  b.depend(b.op(2), other);
  b.depend(mark, beside);
  const Ran ran(std::move(b));
  EXPECT_EQ(ran.end(first), 5);
  EXPECT_EQ(ran.start(body), 5);
  EXPECT_EQ(ran.start(beside), 5);
  EXPECT_EQ(ran.start(other), 12);
}

// The message of 9 starts at 2, that of 1 at 4. The receiver that is ready at 0 gets the first,
// which ends at 11; the one that is ready at 20 gets the second, long there.
TEST(Events, messages_are_received_in_the_order_of_starting) {
  Builder b;
  const LaneId channel = b.add_lane(0, Stream::data, LanePolicy::matching);
  const OpId quick = b.op(1, channel, message), slow = b.op(9, channel, message);
  const OpId late = b.op(0, channel), early = b.op(0, channel);
  b.depend(b.op(4), quick);
  b.depend(b.op(2), slow);
  b.depend(b.op(20), late);
  const Ran ran(std::move(b));
  EXPECT_EQ(ran.end(early), 11);
  EXPECT_EQ(ran.end(late), 20);
  ASSERT_EQ(ran.decisions.received.size(), 2u);
  EXPECT_EQ(ran.decisions.received[0].message, slow);
  EXPECT_EQ(ran.decisions.received[0].receiver, early);
}

// Only `late` can be sent before `early` is received: by the order of ids nothing could run.
TEST(Events, a_message_may_overtake_one_that_waits_for_its_receiver) {
  Builder b;
  const LaneId channel = b.add_lane(0, Stream::data, LanePolicy::matching);
  const OpId answer = b.op(5, channel, message), question = b.op(5, channel, message);
  const OpId first = b.op(0, channel), second = b.op(0, channel);
  b.depend(first, answer);
  b.depend(first, second);
  const Ran ran(std::move(b));
  EXPECT_EQ(ran.end(question), 5);
  EXPECT_EQ(ran.end(answer), 10);
  EXPECT_EQ(ran.end(second), 10);
}

TEST(Events, a_receiver_without_a_message_is_part_of_the_deadlock) {
  Builder b;
  b.program.label_table = {};
  const LaneId channel = b.add_lane(0, Stream::data, LanePolicy::matching);
  const OpId sent = b.op(5, channel, message), received = b.op(0, channel);
  b.depend(received, sent);
  b.program.labels = {b.program.label_table.add("l1"), b.program.label_table.add("l2")};
  try {
    Ran ran(std::move(b));
    FAIL() << "it cannot run";
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(),
                 "deadlock: rank 0's message of l1 waits for rank 0's l2 waits for "
                 "rank 0's message of l1");
  }
}

// Settled, every lane is in order: b before a, and each receiver after its message. The longest
// path through that gives the same times.
TEST(Events, a_settled_program_gives_the_same_times_without_choices) {
  Builder b;
  const LaneId lane = b.add_lane(0, Stream::compute, LanePolicy::ready_first);
  const LaneId channel = b.add_lane(0, Stream::data, LanePolicy::matching);
  const OpId a = b.op(4, lane), second = b.op(3, lane);
  const OpId quick = b.op(1, channel, message), slow = b.op(9, channel, message);
  const OpId early = b.op(0, channel), late = b.op(0, channel);
  b.depend(b.op(2), a);
  b.depend(second, slow);
  b.depend(a, quick);
  b.depend(early, late);
  Ran ran(std::move(b));
  EXPECT_EQ(ran.start(a), 3);
  EXPECT_EQ(ran.end(late), 12);
  const Program settled = settle(ran.program, ran.decisions);
  ASSERT_EQ(settled.lanes.size(), 1u);
  EXPECT_EQ(settled.lanes[0].policy, LanePolicy::in_order);
  EXPECT_EQ(settled.order(0)[0], second);
  const Timeline again = run_longest_path(settled, ran.durations);
  for (OpId op = 0; op < settled.ops.size(); ++op) {
    EXPECT_EQ(again.spans[op].start, ran.timeline.spans[op].start) << op;
    EXPECT_EQ(again.spans[op].ready, ran.timeline.spans[op].ready) << op;
  }
}

}  // namespace
}  // namespace pipewright
