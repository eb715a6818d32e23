// Peers in place of a schedule, on layers of known length.
#include "peers/peers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

// Four layers, F 1 ms and B 2 ms each for one sample; 1M parameters of 4 bytes; links of 1 GB/s
// without latency, and no time for the optimizer's bytes.
config::Value four_layers(const std::string& rest, int devices) {
  const std::string layer = "{forward: 1 ms, backward: 2 ms, activation: 0 B, parameters: 1M}";
  return experiment("model: {layers: [" + layer + ", " + layer + ", " + layer + ", " + layer +
                    "]}\ncluster: {devices: " + std::to_string(devices) +
                    ", device: {flops: {fp32: 1 TFLOP/s}, memory: 80 GiB, memory_bandwidth: 1000 "
                    "TB/s}, link: {latency: 0 s, bandwidth: 1 GB/s}}\nprecision: fp32\n" +
                    rest);
}

double iteration_ms(const config::Value& value) {
  return in_seconds(run(value).result.metrics.iteration) * 1e3;
}

// One peer, two segments of two layers, four samples: weights come at 8 MB / 2 GB/s = 4 ms,
// gradients go in as long. Forward 4 + max(8, 4) + 8, backward max(16, 4) + max(16, 4) + 4 to bring
// the last gradients away.
TEST(Atom, computing_hides_the_next_segment_where_it_is_longer) {
  const std::string rest =
      "peers: {atom: {segments: 2, host_link: 2 GB/s}}\nbatch: {global: 4, micro: 1}\n";
  EXPECT_NEAR(iteration_ms(four_layers(rest, 1)), 4 + 8 + 8 + 16 + 16 + 4, 0.01);
}

// The same at 0.25 GB/s: 32 ms each way. Forward 32 + max(8, 32) + 8, backward max(16, 32), then
// max(16, 32) while the last segment's gradients go, and 32 for the first one's.
TEST(Atom, a_slow_host_link_is_waited_for) {
  const std::string rest =
      "peers: {atom: {segments: 2, host_link: 0.25 GB/s}}\nbatch: {global: 4, micro: 1}\n";
  EXPECT_NEAR(iteration_ms(four_layers(rest, 1)), 32 + 32 + 8 + 32 + 32 + 32, 0.01);
}

// Two peers all-reduce 16 MB at 1 GB/s, 16 ms, beside 56 ms of work; without overlap after it.
TEST(Atom, gradients_are_reduced_beside_the_next_step) {
  const std::string rest =
      "peers: {atom: {segments: 2, host_link: 2 GB/s}}\nbatch: {global: 8, micro: 1}\n";
  EXPECT_NEAR(iteration_ms(four_layers(rest, 2)), 56, 0.01);
  EXPECT_NEAR(iteration_ms(four_layers(rest + "overlap: {data: false}\n", 2)), 56 + 16, 0.5);
}

// Of all numbers of segments none is faster than the one that is taken where nobody says it.
TEST(Atom, the_fastest_number_of_segments_is_taken) {
  const std::string batch = "\nbatch: {global: 4, micro: 1}\n";
  for (const char* link : {"8 GB/s", "1 GB/s", "0.25 GB/s"}) {
    const auto at = [&](const std::string& segments) {
      return iteration_ms(four_layers(
          fmt::format("peers: {{atom: {{{}host_link: {}}}}}{}", segments, link, batch), 1));
    };
    const double taken = at("");
    double least = taken;
    for (const int segments : {1, 2, 4})
      least = std::min(least, at(fmt::format("segments: {}, ", segments)));
    EXPECT_EQ(taken, least) << link;
  }
}

// What a result repeats of its experiment is run again.
TEST(Peers, results_run_again) {
  for (const char* peers : {"peers: atom\n", "peers: {atom: {segments: 2}}\n",
                            "peers: swarm\nparallel: {pipeline: 2}\n"}) {
    const auto first = run(four_layers(std::string(peers) + "batch: {global: 8, micro: 1}\n", 2));
    const auto again = run(first.result.experiment.value());
    EXPECT_EQ(again.result.metrics.iteration, first.result.metrics.iteration) << peers;
  }
}

TEST(Atom, a_step_is_events_on_devices) {
  const auto made =
      test::run(four_layers("peers: {atom: {segments: 2}}\nbatch: {global: 8, micro: 1}\n", 2));
  EXPECT_EQ(made.result.devices.used, 2);
  EXPECT_GT(made.result.cost.events, 16u);
  EXPECT_EQ(made.timeline.spans.size(), made.program.ops.size());
}

// Devices that are there three quarters of the time.
TEST(Atom, a_peer_that_leaves_stops_nobody_else) {
  const std::string rest =
      "peers: {atom: {segments: 2, host_link: 2 GB/s}}\nbatch: {global: 4, micro: 1}\n"
      "failures: {device_mtbf: 3 h, checkpoint_interval: 1 h, restart_time: 1 h}\n";
  EXPECT_NEAR(iteration_ms(four_layers(rest, 1)), 56 / 0.75, 0.01);
}

// Two stages of two layers on two devices, one sample: F 2, F 2, B 4, B 4 ms; messages are empty.
TEST(SwarmExperiment, one_sample_passes_all_stages_there_and_back) {
  const std::string rest = "peers: swarm\nparallel: {pipeline: 2}\nbatch: {global: 1, micro: 1}\n";
  EXPECT_NEAR(iteration_ms(four_layers(rest, 2)), 12, 0.01);
}

// Four devices, two a stage: 16 samples keep all of them busy but for filling and draining, and
// 8 MB of gradients are reduced over each pair, 8 ms.
TEST(SwarmExperiment, peers_of_a_stage_share_its_samples) {
  const std::string rest = "peers: swarm\nparallel: {pipeline: 2}\nbatch: {global: 16, micro: 1}\n";
  const double busy = 16 * 12 / 4., filling = 6;
  const double iteration = iteration_ms(four_layers(rest, 4));
  EXPECT_GE(iteration, busy + 8 - 0.01);
  EXPECT_LE(iteration, busy + 2 * filling + 8 + 0.01);
}

TEST(Peers, what_cannot_be_is_told) {
  const auto error = [](const std::string& rest) {
    return error_of([&] { run(four_layers(rest, 2)); });
  };
  EXPECT_TRUE(
      error("peers: swarm\nschedule: 1f1b\n").ends_with("'schedule' means nothing beside 'peers'"));
  EXPECT_TRUE(error("peers: {atom: {}}\nparallel: {pipeline: 2}\n")
                  .ends_with("an ATOM peer runs the whole model: only data may be above 1"));
  EXPECT_TRUE(error("peers: {}\n").ends_with("peers: either 'swarm' or 'atom'"));
}

}  // namespace
}  // namespace pipewright::test
