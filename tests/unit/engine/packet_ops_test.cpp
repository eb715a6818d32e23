// Ops as packets: what the packet network says by itself, in programs.
#include "engine/packet_ops.hpp"

#include <gtest/gtest.h>

#include "base/mixed.hpp"
#include "network/flow_traffic.hpp"
#include "network/packet/packet_route.hpp"
#include "support/clusters.hpp"
#include "support/message_program.hpp"

namespace pipewright::test {
namespace {

constexpr Time us = microseconds(1);

/// Nodes of two devices, joined by a switch.
Topology nodes(int count) {
  return cluster_of(
             "{node: {device: {flops: {bf16: 1 TFLOP/s}}, devices: 2, interconnect: {kind: "
             "nvswitch, link: {bandwidth: 10 GB/s, latency: 1 us}}}, nodes: " +
             std::to_string(count) +
             ", fabric: {kind: star, nics: 1, link: {bandwidth: 1 GB/s, latency: 1 us}}}")
      .topology;
}

struct Message {
  int from, to;
  Bytes bytes;
  Time start;
};

/// Returns when each ends, by the packet network alone.
std::vector<Time> by_itself(const Topology& topology, const std::vector<Message>& messages,
                            const PacketOptions& options) {
  std::vector<PacketRoute> routes;
  routes.reserve(messages.size());
  std::vector<PacketFlow> flows;
  for (const Message& one : messages) {
    routes.push_back(packet_route(topology, topology.route(one.from, one.to)));
    flows.push_back({.routes = {&routes.back()}, .bytes = one.bytes, .start = one.start});
  }
  std::vector<Time> ends;
  for (const PacketFlowResult& result :
       run_packets(flows, shared_capacities(topology), options).flows)
    ends.push_back(result.end);
  return ends;
}

/// Returns the same of a program whose messages begin after kernels.
std::vector<Time> in_program(const Topology& topology, const std::vector<Message>& messages,
                             const PacketOptions& options) {
  MessageProgram program(topology);
  std::vector<OpId> ops;
  for (const Message& one : messages) {
    const OpId before = program.compute(one.from, one.start);
    ops.push_back(program.message(one.from, one.to, one.bytes));
    program.depend(before, ops.back());
  }
  const Timeline timeline = std::move(program).run_as_packets(options);
  std::vector<Time> ends;
  for (const OpId op : ops) ends.push_back(timeline.spans[op].end);
  return ends;
}

TEST(PacketOps, a_message_alone_takes_what_the_packet_network_says) {
  const Topology topology = nodes(2);
  for (const int64_t bytes : {1, 8999, 9000, 9001, 1'000'000, 123'456'789}) {
    const std::vector<Message> one{{0, 2, {bytes}, 7 * us}};
    EXPECT_EQ(in_program(topology, one, {}), by_itself(topology, one, {})) << bytes;
  }
}

// Six nodes send to the first, and lose packets: each from another device, so that none waits for
// another's channel.
TEST(PacketOps, messages_that_meet_end_as_in_the_packet_network_alone) {
  const Topology topology = nodes(7);
  const PacketOptions options{.queue = 30 * KiB, .rto = seconds(1)};
  std::vector<Message> messages;
  for (int k = 0; k < 12; ++k)
    messages.push_back(
        {2 + k, k % 2, {static_cast<int64_t>(1 + mixed(k) % 2'000'000)}, 3 * k * us});
  EXPECT_EQ(in_program(topology, messages, options), by_itself(topology, messages, options));
}

TEST(PacketOps, inside_a_node_links_are_shared_as_flows) {
  const auto ends = [](bool packets) {
    MessageProgram program(nodes(2));
    std::vector<OpId> ops{program.message(0, 1, {5'000'000}), program.message(0, 1, {3'000'000})};
    const Timeline timeline =
        packets ? std::move(program).run_as_packets({}) : std::move(program).run().shared;
    return std::pair(timeline.spans[ops[0]].end, timeline.spans[ops[1]].end);
  };
  EXPECT_EQ(ends(true), ends(false));
}

// On a channel the second message leaves after the last packet of the first, as a connection has
// them in order, and is behind it by one packet at the receiver: 1 us at 1 GB/s.
TEST(PacketOps, messages_of_one_channel_follow_each_other) {
  const Topology topology = nodes(2);
  MessageProgram program(topology);
  const OpId first = program.message(0, 2, {1'000'000}), second = program.message(0, 2, {1000});
  PacketCounts counts;
  const Timeline timeline = std::move(program).run_as_packets({.mtu = {1000}}, &counts);
  EXPECT_EQ(timeline.spans[second].end, timeline.spans[first].end + us);
  EXPECT_EQ(counts.packets, 1001u);
  EXPECT_EQ(counts.dropped, 0u);
}

// A latency is paid once by many small messages between two devices, not once by each.
TEST(PacketOps, a_thousand_messages_of_one_channel_take_as_long_as_one_of_a_thousand_packets) {
  const Topology topology = nodes(2);
  MessageProgram program(topology);
  for (int message = 0; message < 1000; ++message) program.message(0, 2, {1000});
  const Time end = std::move(program).run_as_packets({.mtu = {1000}}).end();
  EXPECT_EQ(end, by_itself(topology, {{0, 2, {1'000'000}, {}}}, {.mtu = {1000}})[0]);
}

TEST(PacketOps, a_collective_is_no_faster_than_alone_and_long_ones_come_near) {
  for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                          CollectiveKind::broadcast, CollectiveKind::all_to_all}) {
    MessageProgram program(nodes(4));
    const OpId op = program.collective(kind, {0, 1, 2, 3, 4, 5, 6, 7}, {400'000'000});
    const Time alone = AlphaBeta(nodes(4)).collective(
        kind, std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6, 7}, {400'000'000});
    const Time end = std::move(program).run_as_packets({}).spans[op].end;
    EXPECT_GE(end, alone) << static_cast<int>(kind);
    // All to all, several flows come to one node at once: they lose packets.
    const double most = kind == CollectiveKind::all_to_all ? 1.5 : 1.02;
    EXPECT_LE(in_seconds(end), most * in_seconds(alone)) << static_cast<int>(kind);
  }
}

TEST(PacketOps, what_leads_into_one_node_takes_as_long_as_its_link) {
  MessageProgram program(nodes(9));
  for (int node = 1; node < 9; ++node) program.message(2 * node, 0, {10'000'000});
  PacketCounts counts;
  const Time end = std::move(program).run_as_packets({}, &counts).end();
  EXPECT_GE(end, milliseconds(80));
  EXPECT_GT(counts.dropped, 0u);
  EXPECT_EQ(counts.repeated >= counts.dropped, true);
}

}  // namespace
}  // namespace pipewright::test
