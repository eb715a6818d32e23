// Each algorithm's two forms against its closed form.
#include "network/collectives/collective.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "clusters.hpp"
#include "network/alpha_beta.hpp"
#include "network/collectives/registry.hpp"

namespace pipewright::collective {
namespace {

using enum CollectiveKind;

struct Times {
  double fluid_s = 0, expanded_s = 0;
};

Times times_of(const Algorithm& algorithm, const Topology& topology, CollectiveKind kind,
               Bytes bytes) {
  std::vector<int> all(static_cast<size_t>(topology.devices()));
  std::iota(all.begin(), all.end(), 0);
  const Members members = members_on(topology, all);
  EXPECT_TRUE(algorithm.serves(kind, members));
  return {in_seconds(fluid_time(topology, members, algorithm.fluid(kind, members, bytes))),
          in_seconds(expanded_time(topology, members, algorithm.rounds(kind, members, bytes)))};
}

// Eight devices, alpha 5 us, beta 25 GB/s; 1 GB takes 40 ms over one link, an eighth 5 ms.
class EightDevices : public testing::Test {
 protected:
  const Topology topology =
      test::cluster_of("{devices: 8, link: {latency: 5 us, bandwidth: 25 GB/s}}").topology;
  const Bytes gigabyte{1'000'000'000};

  void expect(const Algorithm& algorithm, CollectiveKind kind, double fluid_s, double expanded_s) {
    const Times times = times_of(algorithm, topology, kind, gigabyte);
    EXPECT_NEAR(times.fluid_s, fluid_s, 1e-9);
    EXPECT_NEAR(times.expanded_s, expanded_s, 1e-9);
  }
  void expect(const Algorithm& algorithm, CollectiveKind kind, double both_s) {
    expect(algorithm, kind, both_s, both_s);
  }
};

TEST_F(EightDevices, ring_takes_n_less_one_steps_of_an_eighth_and_twice_as_many_to_all_reduce) {
  expect(algorithm::ring, reduce_scatter, 7 * (5e-6 + 5e-3));
  expect(algorithm::ring, all_gather, 7 * (5e-6 + 5e-3));
  expect(algorithm::ring, all_reduce, 14 * (5e-6 + 5e-3));
}

TEST_F(EightDevices, recursive_doubling_takes_three_steps) {
  expect(algorithm::recursive_doubling, all_reduce, 3 * (5e-6 + 40e-3));
  expect(algorithm::recursive_doubling, all_gather, 3 * 5e-6 + (5e-3 + 10e-3 + 20e-3));
}

TEST_F(EightDevices, halving_and_doubling_takes_six_steps_and_the_bytes_of_a_ring) {
  expect(algorithm::halving_doubling, all_reduce, 6 * 5e-6 + 2 * 35e-3);
  expect(algorithm::halving_doubling, reduce_scatter, 3 * 5e-6 + 35e-3);
}

TEST_F(EightDevices, pairwise_exchange_is_seven_messages_of_an_eighth) {
  expect(algorithm::pairwise, all_to_all, 7 * (5e-6 + 5e-3));
}

TEST_F(EightDevices, a_chain_fills_its_pipeline_once) {
  // 1908 pieces; six of them are in flight before the last member has its first.
  const double piece = 40e-3 / 1908;
  for (const CollectiveKind kind : {broadcast, reduce}) {
    const Times times = times_of(algorithm::chain, topology, kind, gigabyte);
    EXPECT_NEAR(times.fluid_s, 7 * 5e-6 + 40e-3, 1e-9);
    // Message by message a member waits for a piece before it sends the next: a latency a round.
    EXPECT_NEAR(times.expanded_s, 7 * 5e-6 + 40e-3 + 6 * piece, 1e-8);
  }
}

TEST_F(EightDevices, two_trees_keep_every_port_busy_with_twice_the_bytes) {
  // The first tree is 0 - 4 - {2, 6} - {1, 3, 5, 7}: the deepest leaf is three levels down. Message
  // by message the pipeline fills and drains: within the 954 pieces of a half, a few more each way.
  const Times times = times_of(algorithm::double_tree, topology, all_reduce, gigabyte);
  EXPECT_NEAR(times.fluid_s, 6 * 5e-6 + 2 * 40e-3, 1e-9);
  EXPECT_GE(times.expanded_s, 80e-3);
  EXPECT_LE(times.expanded_s, 80e-3 * (1 + 24.0 / 954) + 60e-6);
}

// 10^18 bytes, the largest buffer that is read: 14 eighths of it over 25 GB/s take 70 million
// seconds, and the clock has 9.2 million.
TEST_F(EightDevices, what_takes_longer_than_the_clock_reaches_is_no_negative_time) {
  const Bytes most{1'000'000'000'000'000'000};
  std::vector<int> all(8);
  std::iota(all.begin(), all.end(), 0);
  const Members members = members_on(topology, all);
  for (const Algorithm* one : {&algorithm::ring, &algorithm::recursive_doubling}) {
    EXPECT_THROW(fluid_time(topology, members, one->fluid(all_reduce, members, most)), Failure);
    EXPECT_THROW(expanded_time(topology, members, one->rounds(all_reduce, members, most)), Failure);
  }
}

// 16 times 10^18 bytes at 10^13 bytes/s.
TEST(Collectives, the_bytes_of_a_link_may_be_more_than_any_one_buffer) {
  const Topology topology =
      test::cluster_of("{devices: 2, link: {latency: 0 s, bandwidth: 10 TB/s}}").topology;
  const std::vector<int> both = {0, 1};
  const Members members = members_on(topology, both);
  Fluid fluid;
  for (int i = 0; i < 16; ++i) fluid.edges.push_back({0, 1, Bytes{1'000'000'000'000'000'000}});
  EXPECT_DOUBLE_EQ(in_seconds(fluid_time(topology, members, fluid)), 1.6e6);
}

TEST_F(EightDevices, rounds_without_end_are_refused) {
  std::vector<int> all(8);
  std::iota(all.begin(), all.end(), 0);
  const Members members = members_on(topology, all);
  const Rounds rounds = algorithm::chain.rounds(broadcast, members, Bytes{int64_t{1} << 59});
  EXPECT_THROW(expanded_time(topology, members, rounds), InputError);
}

TEST(Collectives, in_the_switch_a_link_carries_the_buffer_and_an_nth) {
  // 2.4 GB and an eighth of it over 300 GB/s: 9 ms; device to device takes 0.6 us.
  const Topology node = test::cluster_of("{node: dgx-a100-80g}").topology;
  const Times times = times_of(algorithm::in_switch, node, all_reduce, {2'400'000'000});
  EXPECT_NEAR(times.fluid_s, 9e-3 + 0.6e-6, 1e-9);
  EXPECT_NEAR(times.expanded_s, times.fluid_s, 1e-4);
}

TEST(Collectives, in_two_levels_rails_carry_a_gth) {
  // Two nodes of eight: 7 steps of 300 MB over 300 GB/s twice, and 2 of 150 MB over 25 GB/s
  // between; 2.7 us from node to node.
  const Topology nodes = test::cluster_of("{node: dgx-a100-80g, nodes: 2}").topology;
  const Times times = times_of(algorithm::hierarchical, nodes, all_reduce, {2'400'000'000});
  EXPECT_NEAR(times.expanded_s, 14 * (0.6e-6 + 1e-3) + 2 * (2.7e-6 + 6e-3), 1e-7);
  // All at once the slower of the two decides.
  EXPECT_NEAR(times.fluid_s, 14 * 0.6e-6 + 2 * 2.7e-6 + 14e-3, 1e-7);
}

// Law: on an idle network a ring message by message takes what its closed form says. The rest is
// latency, which rings pay at every step between nodes, and members that wait for one another.
TEST(Collectives, rings_over_all_rails_of_a_node_take_what_the_alpha_beta_model_says) {
  for (const int nodes : {1, 2, 3, 4}) {
    for (const int nics : {1, 4, 8}) {
      const Topology topology =
          test::cluster_of(fmt::format("{{node: dgx-h100, nodes: {}, fabric: {{kind: fat-tree, "
                                       "link: ndr, nics: {}}}}}",
                                       nodes, nics))
              .topology;
      std::vector<int> all(static_cast<size_t>(topology.devices()));
      std::iota(all.begin(), all.end(), 0);
      const Bytes bytes{int64_t{4} << 30};
      for (const CollectiveKind kind : {all_reduce, all_gather, reduce_scatter}) {
        const double closed = in_seconds(AlphaBeta(topology).collective(kind, all, bytes));
        const Times times = times_of(algorithm::ring, topology, kind, bytes);
        EXPECT_NEAR(times.expanded_s / closed, 1, 0.04) << nodes << " nodes, " << nics << " NICs";
        EXPECT_NEAR(times.fluid_s / closed, 1, 0.04) << nodes << " nodes, " << nics << " NICs";
      }
    }
  }
}

TEST(Collectives, an_idle_ring_takes_what_the_alpha_beta_model_says) {
  const Topology topology =
      test::cluster_of("{devices: 64, link: {latency: 2 us, bandwidth: 10 GB/s}}").topology;
  std::vector<int> all(64);
  std::iota(all.begin(), all.end(), 0);
  const Bytes bytes = GiB;
  const double closed = 2 * 63 * (2e-6 + std::ldexp(1.0, 30) / 64 / 10e9);
  const Times times = times_of(algorithm::ring, topology, all_reduce, bytes);
  EXPECT_NEAR(times.fluid_s, closed, 1e-9);
  EXPECT_NEAR(times.expanded_s, closed, 1e-9);
  EXPECT_NEAR(in_seconds(AlphaBeta(topology).collective(all_reduce, all, bytes)), closed, 1e-9);
}

}  // namespace
}  // namespace pipewright::collective
