// What NCCL is known to choose.
#include "network/nccl/choice.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"

namespace pipewright {
namespace {

NcclTuning tuning(const char* name) {
  return read_nccl_tuning(config::scalar(name), config::Catalogue());
}

NcclRequest all_reduce(int ranks, int64_t bytes, double links) {
  return {.ranks = ranks, .on_switch = true, .ring_bandwidth = links, .bytes = {bytes}};
}

TEST(NcclChoice, two_a100_go_from_ll_to_simple_at_one_mebibyte) {
  // LL: 6.6 + 2 * 0.6 us and 87.7 GB/s; Simple: 8.4 + 2 * 3.4 us and 240 GB/s. They meet at
  // 7.4 us / (1 / 87.7 - 1 / 240 ns a byte) = 1.02 MB, between 512 KiB and 1 MiB.
  const NcclTuning ampere = tuning("ampere");
  EXPECT_EQ(choose(ampere, all_reduce(2, 1 << 19, 300e9)).protocol, NcclProtocol::ll);
  EXPECT_EQ(choose(ampere, all_reduce(2, 1 << 20, 300e9)).protocol, NcclProtocol::simple);
}

TEST(NcclChoice, two_h100_do_so_at_two_mebibytes) {
  // 7.4 us / (1 / 141 - 1 / 360 ns a byte) = 1.72 MB.
  const NcclTuning hopper = tuning("hopper");
  EXPECT_EQ(choose(hopper, all_reduce(2, 1 << 20, 450e9)).protocol, NcclProtocol::ll);
  EXPECT_EQ(choose(hopper, all_reduce(2, 1 << 21, 450e9)).protocol, NcclProtocol::simple);
}

TEST(NcclChoice, the_switch_of_an_h100_node_reduces_for_five_members_and_more) {
  // As measured: at four GPUs and fewer NCCL stays on the ring.
  const NcclTuning hopper = tuning("hopper");
  for (const int ranks : {2, 3, 4, 5, 6, 7, 8}) {
    const NcclChoice choice = choose(hopper, all_reduce(ranks, int64_t{1} << 33, 450e9));
    EXPECT_EQ(choice.algorithm, ranks < 5 ? NcclAlgorithm::ring : NcclAlgorithm::nvls) << ranks;
  }
}

TEST(NcclChoice, the_switch_of_a_rack_reduces_by_as_many_channels_as_links_have_room_for) {
  // 72 channels of 18 GB/s and their heads need more than 900 GB/s; 49 of them do not.
  const NcclTuning blackwell = tuning("blackwell");
  const double few = switch_bandwidth(blackwell, 8, 900e9),
               all = switch_bandwidth(blackwell, 72, 900e9);
  EXPECT_GT(all, few / 2);
  EXPECT_LE(all, 2 * 900e9);
  EXPECT_EQ(choose(blackwell, all_reduce(72, 8, 900e9)).algorithm, NcclAlgorithm::nvls);
  EXPECT_EQ(choose(blackwell, all_reduce(72, int64_t{1} << 33, 900e9)).algorithm,
            NcclAlgorithm::nvls);
}

TEST(NcclChoice, a_switch_reduces_no_single_bytes_and_on_ampere_nothing) {
  NcclRequest request = all_reduce(8, int64_t{1} << 30, 450e9);
  request.element_bytes = 1;
  EXPECT_EQ(choose(tuning("hopper"), request).algorithm, NcclAlgorithm::ring);
  EXPECT_EQ(choose(tuning("ampere"), all_reduce(8, int64_t{1} << 30, 300e9)).algorithm,
            NcclAlgorithm::ring);
}

TEST(NcclChoice, a_channel_of_ll_needs_4_kib_for_each_rank) {
  // 512 threads of 8 bytes, times 8 ranks: 32 KiB a channel, and 24 channels at most.
  const NcclTuning ampere = tuning("ampere");
  EXPECT_EQ(choose(ampere, all_reduce(8, 1 << 10, 300e9)).channels, 1);
  EXPECT_EQ(choose(ampere, all_reduce(8, 5 << 15, 300e9)).channels, 5);
  EXPECT_EQ(choose(ampere, all_reduce(8, 1 << 20, 300e9)).channels, 24);
}

TEST(NcclChoice, between_nodes_small_buffers_take_a_tree_and_large_ones_a_ring) {
  NcclRequest request = all_reduce(64, 8, 200e9);
  request.nodes = 8;
  request.network_hop_s = 2.7e-6;
  EXPECT_EQ(choose(tuning("ampere"), request).algorithm, NcclAlgorithm::tree);
  request.bytes = {int64_t{1} << 32};
  EXPECT_EQ(choose(tuning("ampere"), request).algorithm, NcclAlgorithm::ring);
}

// Plug-in, 75 us, and NCCL's 5 us of an LL hop on a tree; 14 us of a Simple one, which pays twice.
TEST(NcclChoice, over_efa_a_hop_takes_what_its_plug_in_says) {
  const NcclTuning ampere = tuning("ampere");
  NcclRequest request = all_reduce(16, 8, 100e9);
  request.nodes = 2;
  request.fabric = LinkKind::efa_1;
  const PerProtocol& tree = ampere.network.tree;
  EXPECT_NEAR(network_hop_s(ampere, tree[0], NcclProtocol::ll, request, Hop::told, 0), 80e-6,
              1e-12);
  EXPECT_NEAR(network_hop_s(ampere, tree[2], NcclProtocol::simple, request, Hop::told, 0), 164e-6,
              1e-12);
}

// NCCL's 14 us of Simple and twice what the fabric's table says, more where a message is asked for.
TEST(NcclChoice, over_efa_a_long_message_waits_for_its_receiver) {
  const NcclTuning hopper = tuning("hopper");
  NcclRequest request = all_reduce(16, 8, 400e9);
  request.nodes = 2;
  request.fabric = LinkKind::efa;
  const NcclFabric& efa = fabric_of(hopper, LinkKind::efa);
  const auto taken_s = [&](double message) {
    return network_hop_s(hopper, 14e-6, NcclProtocol::simple, request, Hop::taken, message);
  };
  EXPECT_GT(efa.rendezvous_s, 0);
  EXPECT_NEAR(taken_s(efa.eager_bytes), 14e-6 + 2 * efa.hop_s, 1e-12);
  EXPECT_NEAR(taken_s(efa.eager_bytes + 1), 14e-6 + 2 * (efa.hop_s + efa.rendezvous_s), 1e-12);
}

}  // namespace
}  // namespace pipewright
