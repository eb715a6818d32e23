#include "engine/swarm_wiring.hpp"

#include <gtest/gtest.h>

namespace pipewright::swarm {
namespace {

/// Two stages on three peers; a message takes 1 ms and 1 ms for each 1000 bytes.
struct Wired {
  SwarmPlan plan;
  Peers peers{{0, 1, 1}, 2};
  Events events;
  Wiring wiring{plan, peers, events};

  Wired() {
    plan.stages = 2;
    plan.transfer = [](int, int, Bytes bytes) {
      return milliseconds(1) + microseconds(bytes.count);
    };
    plan.forward_output = plan.backward_output = {Bytes{1000}, Bytes{1000}};
  }
};

// The second message waits until the sender is free, at 1 ms, and takes 2.
TEST(SwarmWiring, a_peer_sends_one_message_at_a_time) {
  Wired wired;
  const auto message = [&](int to) {
    return wired.wiring.message({.from = 0, .to = to, .bytes = Bytes{1000}});
  };
  EXPECT_EQ(message(1), milliseconds(2));
  EXPECT_EQ(message(2), milliseconds(3));
  const std::vector<SwarmMessage> sent = wired.wiring.messages();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[1].start, milliseconds(1));
  EXPECT_EQ(sent[1].end, milliseconds(3));
}

TEST(SwarmWiring, a_backward_returns_to_the_peer_of_its_forward) {
  Wired wired;
  wired.wiring.begin(0);
  EXPECT_EQ(wired.events.next()->peer, 0);
  wired.wiring.wire({.stage = 1, .from = 0});
  const int forward = wired.events.next()->peer;
  EXPECT_EQ(forward, 1);
  wired.wiring.wire({.stage = 1, .backward = true, .from = forward});
  EXPECT_EQ(wired.events.next()->peer, forward);
}

TEST(SwarmWiring, a_task_waits_where_nobody_serves_its_stage) {
  Wired wired;
  wired.wiring.begin(0);
  wired.events.next();
  wired.peers[1].present = wired.peers[2].present = false;
  wired.wiring.wire({.stage = 1, .from = 0});
  EXPECT_FALSE(wired.events.next());
  EXPECT_EQ(wired.peers.waiting(1).size(), 1u);
}

}  // namespace
}  // namespace pipewright::swarm
