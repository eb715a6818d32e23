#include "network/alpha_beta.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "clusters.hpp"

namespace pipewright {
namespace {

AlphaBeta network_of(std::string_view cluster) {
  return AlphaBeta(test::cluster_of(cluster).topology);
}

// Four devices, alpha 5 us, beta 25 GB/s; 1 GB takes 40 ms over one link, a quarter of it 10 ms.
class FourDevices : public testing::Test {
 protected:
  const AlphaBeta network = network_of("{devices: 4, link: {latency: 5 us, bandwidth: 25 GB/s}}");
  const std::vector<int> all{0, 1, 2, 3};
  const Bytes gigabyte{1'000'000'000};

  Time collective(CollectiveKind kind) { return network.collective(kind, all, gigabyte); }
};

TEST_F(FourDevices, a_transfer_is_latency_and_bytes_over_bandwidth) {
  EXPECT_EQ(network.transfer(0, 3, gigabyte), microseconds(5) + milliseconds(40));
}

TEST_F(FourDevices, a_transfer_of_nothing_pays_the_latency_but_not_on_one_device) {
  EXPECT_EQ(network.transfer(1, 2, {}), microseconds(5));
  EXPECT_EQ(network.transfer(1, 1, gigabyte), Time{});
}

TEST_F(FourDevices, all_gather_and_reduce_scatter_take_n_less_one_steps) {
  EXPECT_EQ(collective(CollectiveKind::all_gather), 3 * (microseconds(5) + milliseconds(10)));
  EXPECT_EQ(collective(CollectiveKind::reduce_scatter), 3 * (microseconds(5) + milliseconds(10)));
}

TEST_F(FourDevices, all_reduce_takes_twice_as_many) {
  EXPECT_EQ(collective(CollectiveKind::all_reduce), 6 * (microseconds(5) + milliseconds(10)));
}

TEST_F(FourDevices, broadcast_and_reduce_are_pipelined_chains) {
  EXPECT_EQ(collective(CollectiveKind::broadcast), 3 * microseconds(5) + milliseconds(40));
  EXPECT_EQ(collective(CollectiveKind::reduce), 3 * microseconds(5) + milliseconds(40));
}

TEST_F(FourDevices, all_to_all_sends_three_quarters_through_the_port) {
  EXPECT_EQ(collective(CollectiveKind::all_to_all), 3 * (microseconds(5) + milliseconds(10)));
}

TEST_F(FourDevices, a_group_of_one_has_nothing_to_do) {
  const std::vector<int> one{2};
  EXPECT_EQ(network.collective(CollectiveKind::all_reduce, one, gigabyte), Time{});
}

TEST(AlphaBeta, one_node_with_nvlink) {
  // 2.4 GB in eighths over 300 GB/s: 1 ms each of 14 steps, and 0.6 us.
  const AlphaBeta network = network_of("{node: dgx-a100-80g}");
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(network.collective(CollectiveKind::all_reduce, all, {2'400'000'000}),
            14 * (milliseconds(1) + nanoseconds(600)));
}

TEST(AlphaBeta, unbounded_links_cost_latency_only) {
  const AlphaBeta network = network_of("{devices: 3, link: {latency: 2 us}}");
  EXPECT_EQ(network.transfer(0, 1, 100 * GiB), microseconds(2));
  const std::vector<int> all{0, 1, 2};
  EXPECT_EQ(network.collective(CollectiveKind::all_reduce, all, 100 * GiB), microseconds(8));
}

TEST(AlphaBeta, a_matrix_pays_for_its_longest_ways) {
  // Ring 0 > 1 > 2 > 0 with 1, 9 and 9 ms; two steps in a row take at most 18 ms.
  const AlphaBeta network = network_of(
      "{devices: 3, latency_matrix: [[0 s, 1 ms, 9 ms], [1 ms, 0 s, 9 ms], [9 ms, 9 ms, 0 s]]}");
  EXPECT_EQ(network.transfer(0, 2, {}), milliseconds(9));
  const std::vector<int> all{0, 1, 2};
  EXPECT_EQ(network.collective(CollectiveKind::all_gather, all, {}), milliseconds(18));
}

TEST(AlphaBeta, times_beyond_the_clock_are_a_failure) {
  const AlphaBeta network = network_of("{devices: 2, link: {latency: 10 d, bandwidth: 1 B/s}}");
  EXPECT_THROW(network.transfer(0, 1, Bytes{INT64_MAX / 2}), Failure);
  EXPECT_THROW(network.transfer(0, 1, Bytes{9'000'000}), Failure);
}

}  // namespace
}  // namespace pipewright
