#include "engine/swarm_peers.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pipewright::swarm {
namespace {

TEST(SwarmPeers, the_least_expected_of_those_that_are_ready_is_next) {
  Peers peers({0, 0, 1}, 2);
  peers[0].expected = 2;
  peers[1].expected = 1;
  EXPECT_EQ(peers.least_expected(0), 1);
  peers[1].ready = false;
  EXPECT_EQ(peers.least_expected(0), 0);
  peers[2].present = false;
  EXPECT_EQ(peers.least_expected(1), nobody);
}

TEST(SwarmPeers, a_newcomer_is_expected_to_be_as_its_stage) {
  Peers peers({0, 0, 1}, 2);
  EXPECT_EQ(peers.expectation(0), 1);
  peers[1].average = 3;
  EXPECT_EQ(peers.expectation(0), 3);
  EXPECT_EQ(peers.expectation(2), 1);
}

TEST(SwarmPeers, a_stage_without_peers_is_the_busiest) {
  Peers peers({0, 0}, 2);
  peers[0].queue({});
  peers[0].queue({.backward = true});
  EXPECT_EQ(peers.load(0), 1);
  EXPECT_TRUE(std::isinf(peers.load(1)));
  EXPECT_EQ(peers.busiest_stage(), 1);
  EXPECT_EQ(peers.calmest_stage(), 0);
}

TEST(SwarmPeers, backward_tasks_go_first_and_all_are_given_up_together) {
  Peer peer;
  peer.queue({.micro_batch = 1});
  peer.queue({.micro_batch = 0, .backward = true});
  EXPECT_TRUE(peer.start_next(seconds(1)));
  EXPECT_FALSE(peer.start_next(seconds(1)));
  EXPECT_TRUE(peer.running.backward);
  const std::vector<Task> tasks = peer.give_up();
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[1].micro_batch, 1);
  EXPECT_EQ(peer.tasks(), 0u);
  EXPECT_FALSE(peer.ready);
}

TEST(SwarmEvents, events_of_one_time_happen_in_the_order_in_which_they_were_said) {
  Events events;
  events.at(seconds(2), {.peer = 0});
  events.at(seconds(1), {.peer = 1});
  events.at(seconds(1), {.peer = 2});
  events.at(longest_time, {.peer = 3});
  for (const int peer : {1, 2, 0}) EXPECT_EQ(events.next()->peer, peer);
  EXPECT_EQ(events.now(), seconds(2));
  EXPECT_FALSE(events.next());
}

}  // namespace
}  // namespace pipewright::swarm
