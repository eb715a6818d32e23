// The table of ops that an event-driven run works on.
#include "engine/event_nodes.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

/// One op before three others, of which the first two compete for a lane.
Program fork() {
  ProgramBuilder b;
  b.program.ranks.push_back({});
  b.program.types = {{}};
  const LaneId lane = b.add_lane(0, Stream::compute, LanePolicy::ready_first);
  const OpId root = b.add({.rank = 0, .peer = 0});
  for (int k = 0; k < 3; ++k) {
    const OpId op = b.add({.rank = 0, .peer = 0});
    b.depend(root, op);
    if (k < 2) b.append(lane, op);
  }
  return std::move(b).finish();
}

TEST(EventNodes, know_what_comes_after_and_how_much_before) {
  const EventNodes nodes(fork());
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].waits, 0);
  EXPECT_TRUE(nodes[0].more) << "three edges are more than two";
  EXPECT_EQ(nodes[3].waits, 1);
  EXPECT_FALSE(nodes[3].more);
  EXPECT_EQ(nodes[3].to[0].to_and_kind, none);
}

TEST(EventNodes, know_who_competes_for_a_lane) {
  const Program program = fork();
  EventNodes nodes(program);
  nodes.note_competitors(program);
  EXPECT_EQ(nodes[0].lane, EventNode::no_lane);
  EXPECT_EQ(nodes[1].lane, 0U);
  EXPECT_EQ(nodes[2].lane, 0U);
  EXPECT_EQ(nodes[3].lane, EventNode::no_lane);
}

TEST(EventNodes, begin_after_what_was_before_and_end_as_late_as_they_take) {
  const Program program = fork();
  EventNodes nodes(program);
  const std::vector<Span> before(4, {.ready = {2}, .start = {3}, .end = {}});
  nodes.begin_after(before);
  nodes[1].waits = EventNode::ended;
  const std::vector<Time> duration(4, Time{10});
  const Timeline timeline = nodes.timeline(duration);
  EXPECT_EQ(timeline.spans[1].ready.ps, 2);
  EXPECT_EQ(timeline.spans[1].start.ps, 3);
  EXPECT_EQ(timeline.spans[1].end.ps, 13);
  EXPECT_EQ(nodes.ended(), (std::vector<bool>{false, true, false, false}));
}

}  // namespace
}  // namespace pipewright
