// The model of time against its formula, with round parameters.
#include "network/nccl/time.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "network/other_jobs.hpp"

namespace pipewright {
namespace {

/// 10 us, 1 us a hop, 24 channels of 10 GB/s for all protocols; half a step at the ends.
CollectiveProfile profile() {
  CollectiveProfile profile;
  profile.tuning = read_nccl_tuning(config::scalar("ampere"), config::Catalogue());
  profile.link_bandwidth = 300e9;
  for (RingTimes& ring : profile.ring) ring = {10e-6, 1e-6, 10e9, 0, 0.2, {0.5, 0.5, 0.5}};
  profile.pairs = {5e-6, 1e-6, 10e9, 100e9, 10e-6, 200e9, 0.5};
  return profile;
}

NcclRequest request(CollectiveKind kind, int ranks, int64_t bytes) {
  return {
      .kind = kind, .ranks = ranks, .on_switch = true, .ring_bandwidth = 300e9, .bytes = {bytes}};
}

constexpr int64_t large = 1'920'000'000;  // 1 ms of an eighth over 24 channels of 10 GB/s

TEST(NcclTime, a_large_ring_takes_steps_and_ends) {
  // 14 hops and 14.5 moves of 1 ms; half as many to gather.
  const NcclTime all = nccl_time(profile(), request(CollectiveKind::all_reduce, 8, large));
  EXPECT_EQ(all.choice.protocol, NcclProtocol::simple);
  EXPECT_NEAR(all.fixed_s, 24e-6, 1e-12);
  EXPECT_NEAR(all.moving_s, 14.5e-3, 1e-9);
  const NcclTime gather = nccl_time(profile(), request(CollectiveKind::all_gather, 8, large));
  EXPECT_NEAR(gather.total_s(), 17e-6 + 7.5e-3, 1e-9);
}

TEST(NcclTime, a_pipelined_broadcast_moves_the_buffer_once) {
  const NcclTime time = nccl_time(profile(), request(CollectiveKind::broadcast, 8, large));
  EXPECT_NEAR(time.total_s(), 17e-6 + 8e-3, 1e-9);
}

TEST(NcclTime, a_small_buffer_is_one_pass_of_one_channel) {
  // 8 KiB in eighths: 1 KiB a step and channel.
  const NcclTime time = nccl_time(profile(), request(CollectiveKind::all_gather, 8, 8192));
  EXPECT_EQ(time.choice.protocol, NcclProtocol::ll);
  EXPECT_NEAR(time.total_s(), 17e-6 + 7.5 * 1024 / 10e9, 1e-12);
}

TEST(NcclTime, ll_moves_in_passes_of_four_kibibytes) {
  // 1 MiB in eighths over 24 channels: 5461 bytes, two passes, as 8192 would be.
  const NcclTime time = nccl_time(profile(), request(CollectiveKind::all_gather, 8, 1 << 20));
  EXPECT_EQ(time.choice.channels, 24);
  EXPECT_NEAR(time.moving_s, 7.5 * 8192 / 10e9, 1e-12);
}

TEST(NcclTime, reducing_single_bytes_takes_longer) {
  NcclRequest scatter = request(CollectiveKind::reduce_scatter, 8, large);
  const double wide = nccl_time(profile(), scatter).moving_s;
  scatter.element_bytes = 1;
  EXPECT_NEAR(nccl_time(profile(), scatter).moving_s, 1.2 * wide, 1e-9);
}

// Where the network is wide, links of half the bandwidth within nodes take twice the time there
// too.
TEST(NcclTime, narrow_links_within_nodes_hold_up_rings_between_nodes) {
  NcclRequest gather = request(CollectiveKind::all_gather, 16, large);
  gather.nodes = 2;
  gather.ring_bandwidth = 3000e9;
  gather.fabric = LinkKind::infiniband;
  const double whole = nccl_time(profile(), gather).moving_s;
  gather.node_bandwidth = 300e9;
  EXPECT_NEAR(nccl_time(profile(), gather).moving_s, whole, 1e-9);
  gather.node_bandwidth = 150e9;
  EXPECT_NEAR(nccl_time(profile(), gather).moving_s, 2 * whole, 1e-9);
}

// Eight of 16 ranks are on the other node: half of the buffer leaves over a member's 50 GB/s, of
// which Simple reaches 0.96, however narrow a ring's links within nodes are.
TEST(NcclTime, pairs_between_nodes_wait_for_their_nics_and_for_no_ring) {
  NcclRequest pairs = request(CollectiveKind::all_to_all, 16, 16'000'000'000);
  pairs.nodes = 2;
  pairs.member_bandwidth = 50e9;
  const double least = 8e9 / (0.96 * 50e9);
  for (const double ring : {400e9, 200e9}) {
    pairs.ring_bandwidth = ring;
    EXPECT_NEAR(nccl_time(profile(), pairs).moving_s, least, 0.02 * least) << ring;
  }
  pairs.node_bandwidth = 20e9;
  EXPECT_GT(nccl_time(profile(), pairs).moving_s, least);  // what stays in a node is slower yet
}

// Of 511 peers 504 are on other nodes. A proxy thread posts a send and a receive for each, 0.2 us
// either, while the first of them are under way. The bytes of a page each take less than that.
TEST(NcclTime, many_small_messages_wait_for_the_thread_that_posts_them) {
  NcclRequest pairs = request(CollectiveKind::all_to_all, 512, 512 * 1024);
  pairs.nodes = 64;
  pairs.member_bandwidth = 50e9;
  EXPECT_NEAR(nccl_time(profile(), pairs).moving_s, 504 * 0.4e-6, 1e-9);
  pairs.bytes.count *= 1024;
  EXPECT_GT(nccl_time(profile(), pairs).moving_s, 1e-3) << "a mebibyte to each waits for the NICs";
  pairs.nodes = 1;
  pairs.bytes.count = 512;
  EXPECT_LT(nccl_time(profile(), pairs).moving_s, 1e-6) << "within a node nobody posts";
}

// A byte goes up and down a tree, over the same links of a node.
TEST(NcclTime, trees_between_nodes_are_no_faster_than_links_within_them) {
  NcclRequest all = request(CollectiveKind::all_reduce, 16, 64'000'000);
  all.nodes = 2;
  all.ring_bandwidth = 400e9;
  for (const double links : {300e9, 150e9, 75e9}) {
    all.node_bandwidth = links;
    EXPECT_GE(nccl_time(profile(), all).moving_s, 1.8 * 64e6 / links) << links;
  }
}

TEST(NcclTime, links_of_half_the_bandwidth_take_twice_the_time) {
  NcclRequest gather = request(CollectiveKind::all_gather, 8, large);
  const NcclTime whole = nccl_time(profile(), gather);
  gather.ring_bandwidth = 150e9;
  EXPECT_NEAR(nccl_time(profile(), gather).moving_s, 2 * whole.moving_s, 1e-9);
}

TEST(NcclTime, pairs_start_slowly_and_end_at_the_full_rate) {
  // 4 ranks: 5 us and two doublings; 16 KiB to each peer in one channel.
  const NcclTime small = nccl_time(profile(), request(CollectiveKind::all_to_all, 4, 65536));
  EXPECT_NEAR(small.total_s(), 7e-6 + 16384 / 10e9, 1e-12);
  // 400 MB: 3.5 messages of 100 MB less 64 KiB at 200 GB/s, 10 us late.
  const NcclTime big = nccl_time(profile(), request(CollectiveKind::all_to_all, 4, 400'000'000));
  EXPECT_NEAR(big.total_s(), 7e-6 + 65536 / 10e9 + 10e-6 + 3.5 * (1e8 - 65536) / 200e9, 1e-9);
}

TEST(NcclTime, the_switch_takes_the_better_of_two_lines) {
  CollectiveProfile hopper = profile();
  hopper.tuning = read_nccl_tuning(config::scalar("hopper"), config::Catalogue());
  hopper.link_bandwidth = 450e9;
  hopper.in_switch = SwitchTimes{30e-6, 100e9, 50e-6, 400e9};
  NcclRequest all = request(CollectiveKind::all_reduce, 8, 4'000'000);
  all.ring_bandwidth = 450e9;
  EXPECT_NEAR(nccl_time(hopper, all).total_s(), 70e-6, 1e-9);  // 40 us at 100 GB/s
  all.bytes = {400'000'000};
  EXPECT_NEAR(nccl_time(hopper, all).total_s(), 30e-6 + 50e-6 + 1e-3, 1e-9);
}

TEST(NcclTime, between_nodes_the_nics_hold_large_buffers_up) {
  // 16 ranks on two nodes with 25 GB/s between: Simple reaches 0.96 of it. 15 sixteenths cross it,
  // and half of one is copied at the ends by 24 channels of 10 GB/s.
  NcclRequest gather = request(CollectiveKind::all_gather, 16, 16'000'000'000);
  gather.nodes = 2;
  gather.ring_bandwidth = 25e9;
  gather.network_hop_s = 2.7e-6;
  const NcclTime time = nccl_time(profile(), gather);
  EXPECT_EQ(time.choice.protocol, NcclProtocol::simple);
  EXPECT_NEAR(time.moving_s, 15e9 / (0.96 * 25e9) + 0.5e9 / 240e9, 1e-6);
  // 13 hops inside, two between of NCCL's 14 us: to the other node and back.
  EXPECT_NEAR(time.fixed_s, 10e-6 + 13e-6 + 28e-6, 1e-12);
}

TEST(NcclTime, a_part_that_begins_inside_a_node_crosses_all_links_between_nodes) {
  NcclRequest gather = request(CollectiveKind::all_gather, 8, 16'000'000'000);
  gather.ring_bandwidth = 25e9;
  gather.network_hop_s = 2.7e-6;
  const auto hops_s = [&](CollectiveKind kind, int nodes) {
    gather.kind = kind;
    gather.nodes = nodes;
    return nccl_time(profile(), gather).fixed_s - 10e-6;
  };
  EXPECT_NEAR(hops_s(CollectiveKind::all_gather, 4), 3e-6 + 4 * 14e-6, 1e-12);
  EXPECT_NEAR(hops_s(CollectiveKind::reduce_scatter, 2), 5e-6 + 2 * 14e-6, 1e-12);
  // With one member a node all seven hops are between nodes.
  EXPECT_NEAR(hops_s(CollectiveKind::all_gather, 8), 7 * 14e-6, 1e-12);
}

TEST(NcclTime, other_jobs_slow_down_what_the_nics_hold_up) {
  NcclRequest gather = request(CollectiveKind::all_gather, 64, 16'000'000'000);
  gather.nodes = 8;
  gather.ring_bandwidth = 25e9;
  for (const LinkKind kind : {LinkKind::efa, LinkKind::infiniband}) {
    gather.fabric = kind;
    gather.beside_other_jobs = false;
    const NcclTime alone = nccl_time(profile(), gather);
    gather.beside_other_jobs = true;
    const NcclTime beside = nccl_time(profile(), gather);
    const double ends_s = 0.5 * 16e9 / 64 / 240e9;  // copies, which no other job slows down
    EXPECT_NEAR((beside.moving_s - ends_s) / (alone.moving_s - ends_s), expected_load(kind, 8),
                1e-9);
    EXPECT_EQ(beside.fixed_s, alone.fixed_s);
  }
}

// 16 ranks on two nodes: 1 MiB in 24 channels is 2.7 KiB a message, 64 MiB is 175 KiB.
TEST(NcclTime, over_efa_messages_that_are_asked_for_take_longer) {
  NcclRequest gather = request(CollectiveKind::all_gather, 16, 1 << 20);
  gather.nodes = 2;
  gather.ring_bandwidth = 400e9;
  gather.fabric = LinkKind::efa;
  const double eager_s = nccl_time(profile(), gather).fixed_s;
  gather.bytes = {64 << 20};
  const CollectiveProfile known = profile();
  const NcclFabric& efa = fabric_of(known.tuning, LinkKind::efa);
  // Two hops, and Simple pays each twice.
  EXPECT_NEAR(nccl_time(profile(), gather).fixed_s - eager_s, 4 * efa.rendezvous_s, 1e-12);
}

}  // namespace
}  // namespace pipewright
