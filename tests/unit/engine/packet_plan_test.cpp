// Packets of ops, counted by hand.
#include "engine/packet_plan.hpp"

#include <gtest/gtest.h>

#include "support/clusters.hpp"
#include "support/message_program.hpp"

namespace pipewright::test {
namespace {

Topology four_nodes() {
  return cluster_of(
             "{node: {device: {flops: {bf16: 1 TFLOP/s}}, devices: 2, interconnect: {kind: "
             "nvswitch, link: {bandwidth: 10 GB/s, latency: 1 us}}}, nodes: 4, fabric: {kind: "
             "star, "
             "nics: 2, link: {bandwidth: 1 GB/s, latency: 1 us}}}")
      .topology;
}

struct Planned {
  ProgramBuilder builder;
  Topology topology = four_nodes();

  Planned() {
    for (int device = 0; device < topology.devices(); ++device)
      builder.program.ranks.push_back({.device = device});
  }
  OpId add(OpType type, uint32_t rank, uint32_t peer) {
    builder.program.types.push_back(type);
    return builder.add({.type = static_cast<uint32_t>(builder.program.types.size() - 1),
                        .rank = rank,
                        .peer = peer});
  }
  std::shared_ptr<const PacketPlan> plan(const PacketOptions& options) && {
    const Program program = std::move(builder).finish();
    const OpRoutes routes = find_op_routes(program, topology, {}, only_itself).value();
    return plan_packets(program, topology, {}, routes, options);
  }
};

// 10 packets of a message cross the port of the sender's node and that of the receiver's.
TEST(PacketPlan, counts_the_packets_that_leave_nodes) {
  Planned planned;
  const OpId out = planned.add({.kind = OpKind::transfer, .bytes = {9500}}, 0, 4);
  const OpId inside = planned.add({.kind = OpKind::transfer, .bytes = {9500}}, 0, 1);
  const auto plan = std::move(planned).plan({.mtu = {1000}});
  EXPECT_TRUE(plan->carries(out));
  EXPECT_FALSE(plan->carries(inside));
  EXPECT_EQ(plan->packets, 10);
  EXPECT_GE(plan->crossings, 20);
  EXPECT_EQ(plan->loads.front().parts.front().bytes, Bytes{9500});
  EXPECT_EQ(plan->loads.front().wire, four_nodes().route(0, 4).latency);
}

// A ring of n members sends (n - 1) / n of the bytes from each to the next: 7 / 8 of 8000 B over
// two rails between each two of four nodes.
TEST(PacketPlan, a_ring_sends_its_bytes_over_each_rail) {
  Planned planned;
  planned.builder.program.groups.push_back({0, 1, 2, 3, 4, 5, 6, 7});
  planned.add(
      {.kind = OpKind::collective, .collective = CollectiveKind::all_gather, .bytes = {8000}}, 0,
      0);
  const auto plan = std::move(planned).plan({.mtu = {500}});
  ASSERT_EQ(plan->loads.size(), 1u);
  EXPECT_EQ(plan->loads[0].parts.size(), 8u);
  for (const PacketLoad::Part& part : plan->loads[0].parts) EXPECT_EQ(part.bytes, Bytes{3500});
  EXPECT_EQ(plan->packets, 8 * 7);
}

}  // namespace
}  // namespace pipewright::test
