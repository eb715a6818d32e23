#include "experiment/stragglers.hpp"
#include "machine/slow_parts.hpp"

#include <gtest/gtest.h>

#include "clusters.hpp"
#include "network/alpha_beta.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

constexpr Bytes gigabyte{1'000'000'000};

Cluster two_nodes() {
  return cluster_of(
      "{node: p3.8xlarge, nodes: 2, fabric: {kind: star, link: {latency: 1 ms, bandwidth: 1 "
      "GB/s}}}");
}

Stragglers of(const std::string& yaml) { return read_stragglers(config::parse(yaml, "s.yaml")); }

TEST(Stragglers, devices_and_nodes_compute_longer) {
  const std::vector<double> by_device =
      slowdowns(of("[{device: 1, slowdown: 1.5}, {node: 1, slowdown: 2}]"), two_nodes());
  EXPECT_EQ(by_device, (std::vector<double>{1, 1.5, 1, 1, 2, 2, 2, 2}));
}

TEST(Stragglers, one_part_is_slow_once) {
  for (const char* twice : {"[{device: 1, slowdown: 2}, {device: 1, slowdown: 3}]",
                            "[{node: 1, slowdown: 2}, {node: 1, slowdown: 2}]",
                            "[{link: '0>1', bandwidth: 50%}, {link: '0 > 1', bandwidth: 5%}]"})
    EXPECT_NE(error_of([&] { of(twice); }).find("given twice"), std::string::npos) << twice;
  EXPECT_EQ(of("[{device: 1, slowdown: 2}, {node: 1, slowdown: 3}, {device: 2, slowdown: 3}]")
                .slow.size(),
            3u);
}

TEST(Stragglers, none_is_faster_than_the_others) {
  EXPECT_NE(error_of([] {
              of("[{device: 1, slowdown: 0.5}]");
            }).find("s.yaml:1:24: error: a straggler is no faster"),
            std::string::npos);
  EXPECT_EQ(of("[{device: 1, slowdown: 1}]").slow.size(), 1u);
}

TEST(Stragglers, a_rank_is_slow_by_its_devices) {
  EXPECT_NE(error_of([] { of("[{rank: 1, slowdown: 2}]"); }).find("did you mean 'device'?"),
            std::string::npos);
}

TEST(Stragglers, a_cluster_says_how_fast_its_devices_compute_where_no_straggler_does) {
  const Cluster cluster = cluster_of("{devices: 3, link: {latency: 0 s}, speeds: [1, 0.5, 1.25]}");
  EXPECT_EQ(slowdowns({}, cluster), (std::vector<double>{1, 2, 0.8}));
  EXPECT_EQ(slowdowns(of("[{device: 1, slowdown: 4}]"), cluster), (std::vector<double>{1, 4, 0.8}));
  EXPECT_TRUE(slowdowns({}, two_nodes()).empty());
}

// One micro-batch, forward 1 ms and backward 2 ms on each of two devices in turn.
TEST(Stragglers, a_device_of_half_the_speed_takes_twice_as_long) {
  const auto iteration = [](const std::string& speeds) {
    return run(experiment("model: {synthetic: {devices: 2, microbatches: 1, forward: 1 ms,\n"
                          "                    backward: 2 ms}}\n"
                          "cluster: {devices: 2, link: {latency: 0 s}, speeds: " +
                          speeds + "}\nschedule: 1f1b\n"))
        .result.metrics.iteration;
  };
  EXPECT_EQ(iteration("[1, 1]"), milliseconds(6));
  EXPECT_EQ(iteration("[1, 0.5]"), milliseconds(9));
}

TEST(Stragglers, a_narrow_link_slows_its_direction_only) {
  const Cluster cluster = two_nodes();
  const AlphaBeta network(narrowed(of("[{link: '0>4', bandwidth: 50%}]"), cluster.topology));
  EXPECT_EQ(network.transfer(0, 4, gigabyte), milliseconds(2001));
  EXPECT_EQ(network.transfer(4, 0, gigabyte), milliseconds(1001));
}

TEST(Stragglers, a_narrow_link_slows_whom_it_is_in_the_way_of) {
  // Device 0 and 1 leave their node over the same NIC.
  const Cluster cluster = two_nodes();
  const AlphaBeta network(narrowed(of("[{link: '0 > 4', bandwidth: 0.25}]"), cluster.topology));
  EXPECT_EQ(network.transfer(1, 5, gigabyte), milliseconds(4001));
  EXPECT_EQ(network.transfer(0, 1, gigabyte), AlphaBeta(cluster.topology).transfer(0, 1, gigabyte));
}

TEST(Stragglers, what_is_not_there_is_named_where_it_stands) {
  EXPECT_EQ(error_of([] { slowdowns(of("[{device: 8, slowdown: 2}]"), two_nodes()); }),
            "s.yaml:1:2: error: device 8 is not there: the cluster has 8");
  EXPECT_EQ(error_of([] { slowdowns(of("[{node: 2, slowdown: 2}]"), two_nodes()); }),
            "s.yaml:1:2: error: node 2 is not there: the cluster has 2");
  EXPECT_EQ(error_of([] { narrowed(of("[{link: '1>9', bandwidth: 1}]"), two_nodes().topology); }),
            "s.yaml:1:2: error: device 9 is not there: the cluster has 8");
}

TEST(Stragglers, a_link_is_two_devices) {
  for (const char* link : {"12", "1>", ">1", "1>1", "1>2>3", "-1>2", "a>b", "1-2"}) {
    const std::string yaml = std::string("[{link: '") + link + "', bandwidth: 50%}]";
    EXPECT_NE(error_of([&] { of(yaml); }).find("no link"), std::string::npos) << link;
  }
}

TEST(Stragglers, a_link_has_a_bandwidth_and_a_device_a_slowdown) {
  for (const char* wrong :
       {"[{link: '1>2', slowdown: 2}]", "[{device: 1, bandwidth: 50%}]", "[{device: 1}]",
        "[{link: '1>2', bandwidth: 0}]", "[{node: 1, device: 2, slowdown: 2}]", "{device: 1}"}) {
    EXPECT_NE(error_of([&] { of(wrong); }), "no error") << wrong;
  }
}

// Of four replicas the first sends slowly from its first rank to its second.
TEST(Stragglers, a_narrow_link_unfolds_its_replica_and_slows_all) {
  const std::string rest = "parallel: {tensor: 1, pipeline: 4, data: 4}\nschedule: 1f1b\n";
  const std::string slow = rest + "stragglers: [{link: '0>4', bandwidth: 1%}]\n";
  const auto folded = run(small_gpt(slow)), unfolded = run(small_gpt(slow), false);
  EXPECT_GT(folded.result.metrics.makespan, run(small_gpt(rest)).result.metrics.makespan);
  EXPECT_NEAR(in_seconds(folded.result.metrics.makespan),
              in_seconds(unfolded.result.metrics.makespan), 1e-8);
}

}  // namespace
}  // namespace pipewright::test
