// Training iterations whose nodes send each other packets.
#include "run/packet_contention.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/json/result.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// Eight nodes of one device on leaves of `ports` ports; tensor ranks, replicas and stages two
/// each.
std::string job(int ports, const std::string& rest = "", int vocabulary = 5120) {
  return fmt::format(
      "model: {{transformer: {{layers: 4, hidden: 512, heads: 8, ffn: 2048, vocabulary: {}}}}}\n"
      "cluster: {{node: {{device: {{flops: {{bf16: 1000 TFLOP/s}}, memory: 80 GiB, "
      "memory_bandwidth: 3 TB/s}}}}, nodes: 8, fabric: {{kind: fat-tree, switch_ports: {}, link: "
      "{{bandwidth: 25 GB/s, latency: 1 us}}}}}}\n"
      "parallel: {{tensor: 2, data: 2, pipeline: 2}}\n"
      "batch: {{global: 8, micro: 1, sequence: 512}}\n"
      "{}",
      vocabulary, ports, rest.empty() ? "schedule: 1f1b\n" : rest);
}

pipewright::Run run_with(const std::string& job, const std::string& network, uint64_t seed = 0) {
  return run_experiment(experiment(job + "network: " + network + "\n"), config::Catalogue{},
                        {.seed = seed});
}

Time time_of(const pipewright::Run& run) { return run.result.metrics.iteration; }

// A fabric of one switch blocks nobody, and what meets on the way out of a device meets as flows
// do. Packets lose a few lengths of a packet for each message.
TEST(PacketIterations, without_blocking_come_near_flows_from_above) {
  const Time flow = time_of(run_with(job(64), "flow"));
  const Time packets = time_of(run_with(job(64), "packet"));
  EXPECT_GE(packets, flow);
  EXPECT_LE(in_seconds(packets), 1.02 * in_seconds(flow));
}

TEST(PacketIterations, on_one_node_are_those_of_flows) {
  const std::string one =
      "model: {transformer: {layers: 8, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 51200}}\n"
      "cluster: {node: dgx-a100-80g}\nparallel: {tensor: 2, data: 2, pipeline: 2}\n"
      "batch: {global: 16, micro: 1, sequence: 1024}\nschedule: 1f1b\n";
  EXPECT_EQ(time_of(run(experiment(one + "network: packet\n"))),
            time_of(run(experiment(one + "network: flow\n"))));
}

// A message between stages is all that leaves a node where each is a stage. With the bytes of none
// the two are the same.
TEST(PacketIterations, of_more_than_a_node_in_which_nothing_leaves_one_are_those_of_flows) {
  const std::string apart =
      "model: {synthetic: {devices: 2, microbatches: 4, forward: 1 ms, backward: 2 ms}}\n"
      "cluster: {node: {device: {flops: {bf16: 1 TFLOP/s}}}, nodes: 2, fabric: {kind: star, link: "
      "{bandwidth: 1 GB/s}}}\nschedule: gpipe\n";
  EXPECT_EQ(time_of(run(experiment(apart + "network: packet\n"))),
            time_of(run(experiment(apart + "network: flow\n"))));
}

TEST(PacketIterations, are_never_faster_than_their_bounds) {
  for (const char* network :
       {"packet", "{packet: {routing: ecmp, seeds: 2}}", "{packet: {spray: true, seeds: 2}}",
        "{packet: {control: dctcp, mark: 30 KiB}}"}) {
    const auto one = run_with(job(4), network);
    EXPECT_GE(one.result.metrics.makespan, one.result.metrics.bounds.best()) << network;
    EXPECT_GE(time_of(one), time_of(run_with(job(4), "alpha-beta"))) << network;
  }
}

TEST(PacketIterations, lay_sprayed_bytes_on_all_routes) {
  for (const char* network : {"{packet: {spray: true, seeds: 1}}", "packet"})
    for (const LinkUse& link : run_with(job(4), network).result.links)
      EXPECT_LE(link.busy_fraction, 1) << network << ' ' << link.name;
}

TEST(PacketIterations, are_the_same_for_the_same_seed_and_have_ordered_quantiles) {
  for (const char* network :
       {"{packet: {routing: ecmp, seeds: 6}}", "{packet: {spray: true, seeds: 6}}"}) {
    const auto one = run_with(job(4), network, 3), again = run_with(job(4), network, 3);
    EXPECT_EQ(time_of(one), time_of(again));
    const Quantiles q = one.result.ranges.variation.value_or(Quantiles{});
    const Quantiles same = again.result.ranges.variation.value_or(Quantiles{});
    EXPECT_EQ(q.seeds, 6);
    EXPECT_LE(q.p10, q.p50);
    EXPECT_LE(q.p50, q.p90);
    EXPECT_LE(q.p90, q.p95);
    EXPECT_LT(q.p10, q.p95);
    EXPECT_EQ(q.p50, same.p50);
    EXPECT_EQ(q.p95, same.p95);
  }
  EXPECT_FALSE(run_with(job(4), "packet").result.ranges.variation);
}

TEST(PacketIterations, run_under_every_schedule) {
  int run_schedules = 0;
  for (const schedule::Kind* kind : schedule::kinds()) {
    const std::string rest = fmt::format("schedule: {}\n", kind->name);
    Time flow;
    const std::string why = error_of([&] { flow = time_of(run_with(job(64, rest), "flow")); });
    if (why != "no error") continue;  // not of this shape
    EXPECT_GE(in_seconds(time_of(run_with(job(64, rest), "packet"))), 0.999 * in_seconds(flow))
        << kind->name;
    ++run_schedules;
  }
  EXPECT_GE(run_schedules, 15);
}

TEST(PacketIterations, say_what_became_of_packets) {
  EXPECT_EQ(what_became_of({.packets = 5, .dropped = 2, .repeated = 3, .timeouts = 1}),
            "5 packets went between nodes: 2 were dropped and 3 sent again, after 1 time-out");
  EXPECT_EQ(what_became_of({.packets = 1, .dropped = 1, .repeated = 1, .timeouts = 2}),
            "1 packet went between nodes: 1 was dropped and 1 sent again, after 2 time-outs");
}

TEST(PacketIterations, of_too_many_packets_are_refused_with_an_estimate) {
  const std::string error =
      error_of([] { run_with(job(4, "", 51200), "{packet: {mtu: 2 B, routing: ecmp}}"); });
  EXPECT_TRUE(error.starts_with("x.yaml:6:10: error: ")) << error;
  EXPECT_NE(error.find("hours on a core"), std::string::npos) << error;
  EXPECT_NE(error.find("fewer 'seeds'"), std::string::npos) << error;
  const std::string message = error_of([] { run_with(job(4, "", 51200), "{packet: {mtu: 1 B}}"); });
  EXPECT_TRUE(message.starts_with("x.yaml:6:10: error: a message would be 6.6e+07 packets"))
      << message;
}

TEST(PacketIterations, do_not_reshard) {
  const std::string error = error_of([] {
    run(experiment(
        "model: {transformer: {layers: 8, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 51200}}\n"
        "cluster: {node: dgx-a100-80g, nodes: 2, fabric: {kind: fat-tree, link: hdr, nics: 8}}\n"
        "strategy:\n"
        "  - {layers: 0-3, devices: 0-7, mesh: [2, 4], tensor: 4, data: 2}\n"
        "  - {layers: 4-7, devices: 8-15, mesh: [1, 8], tensor: 8, data: 1}\n"
        "batch: {global: 16, micro: 2, sequence: 1024}\nschedule: 1f1b\nnetwork: packet\n"));
  });
  EXPECT_NE(error.find("'packet' carries messages between two devices"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
