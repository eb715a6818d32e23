#include "network/resharding/messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "clusters.hpp"

namespace pipewright::resharding {
namespace {

/// Hosts of four GPUs.
const Topology& four_a_host() {
  static const Topology topology =
      test::cluster_of("{node: p3.8xlarge, nodes: 3, fabric: {kind: star, link: eth-10}}").topology;
  return topology;
}

/// The source on the first devices, the destination on those that follow.
std::vector<Message> messages(const char* text, Strategy strategy, Bytes bytes = {1 << 20}) {
  const Change change = read_change(text);
  Meshes meshes;
  for (int device = 0; device < change.from.devices() + change.to.devices(); ++device)
    (device < change.from.devices() ? meshes.from : meshes.to).push_back(device);
  const std::vector<Piece> pieces = pieces_of(change);
  const Shipment shipment = ship(four_a_host(), meshes, pieces, bytes, strategy, Balance::order);
  return messages_of(four_a_host(), meshes, pieces, bytes, strategy, shipment.senders);
}

double sum_of(const std::vector<Message>& messages) {
  double sum = 0;
  for (const Message& message : messages) sum += message.share;
  return sum;
}

// Eight devices want the whole tensor: each by itself, by a chain, or as parts that all gather.
// Whatever the strategy, eight times its bytes are received.
TEST(ReshardingMessages, bring_every_taker_the_whole_tensor) {
  for (const Strategy strategy : strategies) {
    std::map<int, double> taken;
    for (const Message& message : messages("R@(1,4) -> R@(2,4)", strategy))
      taken[message.to] += message.share;
    ASSERT_EQ(taken.size(), 8U) << name(strategy);
    for (const auto& [device, share] : taken) EXPECT_NEAR(share, 1, 1e-12) << name(strategy);
  }
}

// A tensor in quarters that becomes one in halves: each half comes of two quarters, once.
TEST(ReshardingMessages, between_cut_tensors_go_once) {
  for (const Strategy strategy : strategies) {
    const std::vector<Message> all = messages("S0@(4,1) -> S0@(2,1)", strategy);
    EXPECT_EQ(all.size(), 4U) << name(strategy);
    EXPECT_NEAR(sum_of(all), 1, 1e-12) << name(strategy);
  }
}

// 2 MiB to four devices: four messages; four quarters, and three steps of a ring of four; the same,
// as all are on one host; four hops of four parts of 512 KiB.
TEST(ReshardingMessages, are_as_many_as_the_strategy_makes) {
  const auto count = [](Strategy strategy) {
    return messages("R@(1,4) -> R@(1,4)", strategy, {2 << 20}).size();
  };
  EXPECT_EQ(count(Strategy::send_recv), 4U);
  EXPECT_EQ(count(Strategy::local_all_gather), 16U);
  EXPECT_EQ(count(Strategy::global_all_gather), 16U);
  EXPECT_EQ(count(Strategy::broadcast), 16U);
}

TEST(ReshardingMessages, pass_on_what_the_sender_was_brought) {
  for (const Strategy strategy : strategies) {
    const std::vector<Message> all = messages("R@(1,4) -> R@(2,4)", strategy);
    for (size_t k = 0; k < all.size(); ++k) {
      EXPECT_EQ(all[k].after.empty(), all[k].from < 4) << name(strategy);
      for (const size_t before : all[k].after) {
        ASSERT_LT(before, k);
        EXPECT_EQ(all[before].to, all[k].from);
      }
    }
  }
}

// Two devices that have been sent halves tell each other, each once.
TEST(ReshardingMessages, gather_what_was_sent_in_parts) {
  std::vector<Message> all = messages("S0@(2,1) -> S0@(2,1)", Strategy::send_recv);
  ASSERT_EQ(all.size(), 2U);
  const int ring[] = {2, 3};
  add_gathering(ring, 0.5, all);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_NEAR(sum_of(all), 2, 1e-12);
  EXPECT_EQ(all[2].from, 2);
  EXPECT_EQ(all[all[2].after.front()].to, 2);
}

}  // namespace
}  // namespace pipewright::resharding
