#include <gtest/gtest.h>

#include <fstream>

#include "report/text/summary.hpp"
#include "simulate/run.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"
#include "support/temporary_folder.hpp"

namespace pipewright::test {
namespace {

/// An experiment file beside a trace of two ranks: 100 ns of calc, 20 bytes, 50 ns of calc.
class TraceExperiment : public testing::Test {
 protected:
  TraceExperiment() {
    std::ofstream(folder_.path() + "/a.goal")
        << "num_ranks 2\nrank 0 {\na: calc 100\nb: send 20b to 1\nb requires a\n}\n"
           "rank 1 {\na: recv 20b from 0\nb: calc 50\nb requires a\n}\n";
  }
  config::Value document(const std::string& more = "", int devices = 2) const {
    return config::parse("trace: {goal: a.goal}\ncluster: {devices: " + std::to_string(devices) +
                             ", link: {latency: 10 ns, bandwidth: 1 GB/s}}\n" + more,
                         folder_.path() + "/x.yaml");
  }
  TemporaryFolder folder_;
};

// 100, then 10 + 20 for the message, then 50.
TEST_F(TraceExperiment, runs_on_its_cluster) {
  const auto run = test::run(document());
  EXPECT_EQ(run.result.metrics.iteration, nanoseconds(180));
  EXPECT_EQ(run.result.metrics.makespan, nanoseconds(180));
  EXPECT_EQ(run.result.cost.events, 4u);
  ASSERT_EQ(run.result.metrics.ranks.size(), 2u);
  EXPECT_EQ(run.result.metrics.ranks[1].compute, nanoseconds(50));
  EXPECT_EQ(run.result.metrics.ranks[1].devices, std::vector<int32_t>{1});
  EXPECT_EQ(run.result.metrics.communication[0].bytes, 20);
  EXPECT_FALSE(run.result.rates.samples_per_s);
}

TEST_F(TraceExperiment, a_slow_device_computes_longer) {
  const auto run = test::run(document("stragglers: [{device: 0, slowdown: 2}]\n"));
  EXPECT_EQ(run.result.metrics.iteration, nanoseconds(280));
}

// Two messages of 20 bytes out of one port take 40 ns of it together, unless they do not share it.
TEST_F(TraceExperiment, messages_share_links_under_flow_only) {
  std::ofstream(folder_.path() + "/a.goal")
      << "num_ranks 2\nrank 0 {\nsend 20b to 1\nsend 20b to 1\n}\n"
         "rank 1 {\nrecv 20b from 0\nrecv 20b from 0\n}\n";
  EXPECT_EQ(test::run(document("network: flow\n")).result.metrics.makespan, nanoseconds(50));
  EXPECT_EQ(test::run(document()).result.metrics.makespan, nanoseconds(50));
  EXPECT_EQ(test::run(document("network: alpha-beta\n")).result.metrics.makespan, nanoseconds(30));
}

/// Two nodes with links of 10 GB/s, and two trunks of 5 GB/s between their switches.
constexpr const char* two_trunks =
    "cluster:\n  node: {devices: 1}\n  nodes: 2\n  fabric:\n    kind: graph\n    links:\n"
    "      - {between: [node 0, switch 0], link: {bandwidth: 10 GB/s, latency: 1 us}}\n"
    "      - {between: [node 1, switch 1], link: {bandwidth: 10 GB/s, latency: 1 us}}\n"
    "      - {between: [switch 0, switch 2], link: {bandwidth: 5 GB/s, latency: 1 us}}\n"
    "      - {between: [switch 1, switch 2], link: {bandwidth: 5 GB/s, latency: 1 us}}\n"
    "      - {between: [switch 0, switch 3], link: {bandwidth: 5 GB/s, latency: 1 us}}\n"
    "      - {between: [switch 1, switch 3], link: {bandwidth: 5 GB/s, latency: 1 us}}\n";

// 2 MB take 400 us over a trunk, 200 us over both, after four links.
TEST_F(TraceExperiment, a_message_takes_as_long_over_its_routes_as_a_flow) {
  std::ofstream(folder_.path() + "/a.goal")
      << "num_ranks 2\nrank 0 {\nsend 2000000b to 1\n}\nrank 1 {\nrecv 2000000b from 0\n}\n";
  const auto time_of = [&](const std::string& kind, const std::string& network) {
    return test::run(config::parse(kind + "\nnetwork: " + network + "\n" + two_trunks,
                                   folder_.path() + "/x.yaml"))
        .result.metrics.makespan;
  };
  const auto traced = [&](const std::string& network) {
    return time_of("trace: {goal: a.goal}", network);
  };
  const auto flown = [&](const std::string& network) {
    return time_of("traffic: [{from: 0, to: 1, bytes: 2 MB}]", network);
  };
  EXPECT_EQ(traced("flow"), microseconds(404));
  EXPECT_EQ(traced("{flow: {routing: spray}}"), microseconds(204));
  const std::string drawn = "{flow: {routing: ecmp, queue_pairs: 64, seeds: 1}}";
  EXPECT_NEAR(in_seconds(traced(drawn)), in_seconds(flown(drawn)), 1e-9);
  const std::string sprayed = "{packet: {spray: true, seeds: 1}}";
  EXPECT_NEAR(in_seconds(traced(sprayed)), in_seconds(flown(sprayed)), 2e-6);
}

/// Eight nodes of one device each, two on a leaf, over two spines.
constexpr const char* two_spines =
    "cluster: {node: {device: {flops: {bf16: 1 TFLOP/s}, memory: 1 GiB, memory_bandwidth: 1 TB/s}, "
    "devices: 1}, nodes: 8, fabric: {kind: fat-tree, link: {latency: 1 us, bandwidth: 10 GB/s}, "
    "nics: 1, switch_ports: 4}}\n";

/// Ranks 0 and 1 each send 1 MB to ranks 2 and 3, on the other leaf.
class TraceOverSpines : public TraceExperiment {
 protected:
  TraceOverSpines() {
    std::ofstream(folder_.path() + "/b.goal")
        << "num_ranks 4\nrank 0 {\nsend 1000000b to 2\n}\nrank 1 {\nsend 1000000b to 3\n}\n"
           "rank 2 {\nrecv 1000000b from 0\n}\nrank 3 {\nrecv 1000000b from 1\n}\n";
  }
  RunResult ran(const std::string& what, const std::string& network) const {
    return test::run(config::parse(what + two_spines + "network: " + network + "\n",
                                   folder_.path() + "/x.yaml"))
        .result;
  }
  RunResult trace(const std::string& network) const {
    return ran("trace: {goal: b.goal}\n", network);
  }
};

// Two flows meet on one of two spines or do not: 100 us of bytes, or 200, after the latency.
TEST_F(TraceOverSpines, routes_are_drawn_once_for_each_seed) {
  const RunResult drawn = trace("{flow: {routing: ecmp, seeds: 40}}");
  const Time alone = trace("{flow: {routing: spray}}").metrics.makespan;
  ASSERT_TRUE(drawn.ranges.variation);
  EXPECT_EQ(drawn.ranges.variation->seeds, 40);
  EXPECT_EQ(drawn.ranges.variation->p10, alone);
  EXPECT_EQ(drawn.ranges.variation->p90, alone + microseconds(100));
}

// What a trace sends at its start is what a traffic experiment sends.
TEST_F(TraceOverSpines, packets_are_those_of_the_same_traffic) {
  const char* traffic = "traffic: [{from: 0, to: 2, bytes: 1 MB}, {from: 1, to: 3, bytes: 1 MB}]\n";
  const RunResult packets = trace("packet");
  EXPECT_EQ(packets.metrics.makespan, ran(traffic, "packet").metrics.makespan);
  EXPECT_GT(packets.metrics.makespan, trace("alpha-beta").metrics.makespan);
  EXPECT_FALSE(packets.notes.empty()) << "what became of them";
}

TEST_F(TraceExperiment, needs_a_device_for_each_rank) {
  const std::string error = error_of([&] { test::run(document("", 1)); });
  EXPECT_NE(error.find("x.yaml:2:10: error: the cluster has 1 devices, but 'a.goal' has 2 ranks"),
            std::string::npos)
      << error;
}

TEST_F(TraceExperiment, a_file_that_is_not_there_is_told_where_it_is_named) {
  std::remove((folder_.path() + "/a.goal").c_str());
  const std::string error = error_of([&] { test::run(document()); });
  EXPECT_NE(error.find("x.yaml:1:15: error: cannot read file"), std::string::npos) << error;
}

TEST_F(TraceExperiment, has_a_summary_without_memory) {
  const std::string text = summary_report(test::run(document())).text();
  EXPECT_NE(text.find("4 ops of 2 ranks"), std::string::npos) << text;
  EXPECT_NE(text.find("180 ns"), std::string::npos) << text;
  EXPECT_EQ(text.find("memory"), std::string::npos) << text;
  EXPECT_EQ(text.find("samples"), std::string::npos) << text;
}

TEST_F(TraceExperiment, is_checked_with_its_file) {
  EXPECT_TRUE(problems_of(document(), config::Catalogue{}, {}).empty());
  std::ofstream(folder_.path() + "/a.goal") << "num_ranks 1\nrank 0 {\nsend 1b to 0\n}\n";
  const std::vector<std::string> problems = problems_of(document(), config::Catalogue{}, {});
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("a.goal:3:1: error:"), std::string::npos) << problems[0];
}

}  // namespace
}  // namespace pipewright::test
