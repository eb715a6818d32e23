// `offload` in an experiment: what leaves the device's memory and what goes over the host's.
#include <gtest/gtest.h>

#include <algorithm>

#include "result/memory_use.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// Two devices, each with 25 GB/s each way to a host whose memory does 40 GB/s, both ways together.
Run offloaded_gpt(const std::string& rest) {
  return run(experiment(
      "model: {transformer: {layers: 4, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 51200}}\n"
      "cluster:\n"
      "  node:\n"
      "    device: {flops: {bf16: 100 TFLOP/s}, memory: 80 GiB, memory_bandwidth: 2 TB/s,\n"
      "             host_link: {bandwidth: 25 GB/s, latency: 0 s}}\n"
      "    devices: 2\n"
      "    interconnect: {kind: nvswitch, link: nvlink3}\n"
      "    host: {memory_bandwidth: 40 GB/s}\n"
      "schedule: 1f1b\n"
      "batch: {global: 8, micro: 1, sequence: 1024}\n" +
      rest));
}

const RankResult& rank_of(const Run& run) { return run.result.metrics.ranks.front(); }
const Communication& with_host(const Run& run) {
  return run.result.metrics.communication[static_cast<size_t>(Traffic::host)];
}

// Adam in bf16 keeps 12 B a parameter: two moments and the master. The host gets gradients in fp32
// and gives weights in bf16, 6 B a parameter of each of the two devices, which hold the same.
TEST(OffloadOptimizer, its_state_leaves_the_device_and_six_bytes_a_parameter_travel) {
  const auto plain = offloaded_gpt(""), offloaded = offloaded_gpt("offload: optimizer\n");
  const double parameters = static_cast<double>(rank_of(plain).memory.weights.count) / 2;
  EXPECT_NEAR(static_cast<double>(rank_of(plain).memory.optimizer.count), 12 * parameters, 12);
  EXPECT_EQ(rank_of(offloaded).memory.optimizer, Bytes{});
  EXPECT_EQ(rank_of(offloaded).memory.weights, rank_of(plain).memory.weights);
  EXPECT_NEAR(with_host(offloaded).bytes, 2 * 6 * parameters, 100);
  EXPECT_EQ(with_host(plain).bytes, 0);
}

// It reads gradients (4) and state (12), writes state and weights (12 + 2), 30 B a parameter, at
// 0.43 of half the memory's 40 GB/s, and no copy can hide that.
TEST(OffloadOptimizer, the_host_is_slower_than_the_device) {
  const auto plain = offloaded_gpt(""), offloaded = offloaded_gpt("offload: optimizer\n");
  const double parameters = static_cast<double>(rank_of(plain).memory.weights.count) / 2;
  const double host_s = 30 * parameters / (0.43 * 20e9);
  const Time longer = offloaded.result.metrics.iteration - plain.result.metrics.iteration;
  EXPECT_GT(in_seconds(longer), 0.95 * host_s);
  EXPECT_LT(in_seconds(longer), host_s + 6 * parameters / 20e9);
}

// Both devices copy at once. One way they ask for 50 GB/s of the memory's 40, both ways for 100.
TEST(OffloadOptimizer, devices_of_a_node_share_the_bandwidth_of_its_memory) {
  const auto shared = offloaded_gpt("offload: optimizer\nnetwork: flow\n");
  const auto alone = offloaded_gpt("offload: optimizer\nnetwork: alpha-beta\n");
  const double longer = in_seconds(with_host(shared).time) / in_seconds(with_host(alone).time);
  EXPECT_GE(longer, 50 / 40.0);
  EXPECT_LE(longer, 100 / 40.0);
}

TEST(OffloadActivations, those_of_few_layers_are_on_the_device) {
  const auto plain = offloaded_gpt("data: {bucket: 1 GB}\n");
  const auto offloaded = offloaded_gpt("data: {bucket: 1 GB}\noffload: activations\n");
  EXPECT_LT(rank_of(offloaded).memory.activations.count, rank_of(plain).memory.activations.count);
  EXPECT_GT(with_host(offloaded).bytes, 0);
  EXPECT_GE(offloaded.result.metrics.iteration, plain.result.metrics.iteration);
}

/// What one device of the first of two stages keeps less than where all stays on it.
int64_t saved_by(const std::string& modules) {
  const auto kept = [](const std::string& offload) {
    return rank_of(offloaded_gpt("parallel: {pipeline: 2, data: 1}\n" + offload))
        .memory.activations.count;
  };
  return kept("") - kept("offload: " + modules + "\n");
}

// The input of a norm is 1024 tokens of 1024 numbers of 2 B; two layers and two micro-batches.
TEST(OffloadedModules, a_norm_frees_no_more_than_its_inputs) {
  const int64_t inputs = 2 * 2 * 1024 * 1024 * 2;
  for (const char* norm : {"{modules: [attn_norm]}", "{modules: [mlp_norm]}"}) {
    EXPECT_GT(saved_by(norm), 0) << norm;
    EXPECT_LE(saved_by(norm), inputs) << norm;
  }
}

TEST(OffloadedModules, savings_add_up_to_no_more_than_those_of_all_activations) {
  const int64_t norm = saved_by("{modules: [attn_norm]}");
  const int64_t core = saved_by("{modules: [core_attn]}");
  const int64_t both = saved_by("{modules: [attn_norm, core_attn]}");
  EXPECT_GE(both, std::max(norm, core));
  EXPECT_LE(both, norm + core);
  EXPECT_LE(both, saved_by("activations"));
}

// With one layer fetched ahead the weights of two neighbouring layers are there at most.
TEST(OffloadWeights, two_layers_are_on_the_device_and_the_optimizer_on_the_host) {
  const auto plain = offloaded_gpt(""), offloaded = offloaded_gpt("offload: weights\n");
  const MemoryUse& memory = rank_of(offloaded).memory;
  EXPECT_EQ(memory.weights, Bytes{});
  EXPECT_EQ(memory.optimizer, Bytes{});
  EXPECT_GT(memory.buffers, Bytes{});
  EXPECT_LT(memory.buffers, rank_of(plain).memory.weights);
}

// They come ahead of time whether or not gradients are reduced beside compute.
TEST(OffloadWeights, as_many_layers_are_on_the_device_without_overlap_of_gradients) {
  const auto overlapped = offloaded_gpt("offload: weights\n");
  const auto apart = offloaded_gpt("offload: weights\noverlap: {data: false}\n");
  EXPECT_EQ(rank_of(apart).memory.buffers, rank_of(overlapped).memory.buffers);
}

TEST(Offload, what_cannot_be_is_said_where_it_stands) {
  EXPECT_EQ(error_of([] { offloaded_gpt("offload: weights\nparallel: {zero: 1}\n"); }),
            "x.yaml:11:10: error: offload: weights are kept whole, with zero: 0");
  EXPECT_EQ(
      error_of([] { offloaded_gpt("offload: [optimizer, gradients]\n"); }),
      "x.yaml:11:22: error: 'gradients' must be one of none, optimizer, activations, weights");
}

TEST(Offload, meshes_that_are_alike_are_what_parallel_says) {
  for (const char* what : {"optimizer", "activations", "weights"}) {
    const std::string offload = std::string("offload: ") + what + "\n";
    const auto alike = offloaded_gpt(offload + "parallel: {pipeline: 2, data: 1}\n");
    const auto spelled = offloaded_gpt(
        offload + "strategy: [{layers: 0-1, devices: 0}, {layers: 2-3, devices: 1}]\n");
    EXPECT_EQ(spelled.result.metrics.iteration, alike.result.metrics.iteration) << what;
  }
}

TEST(Offload, meshes_that_are_not_alike_are_refused) {
  const std::string strategy =
      "strategy: [{layers: 0-1, devices: 0, sharding: {activations: R}}, {layers: 2-3, devices: "
      "1}]\n";
  EXPECT_EQ(
      error_of([&] { offloaded_gpt("offload: optimizer\n" + strategy); }),
      "x.yaml:11:10: error: offload: stages with meshes of their own ('strategy') keep all on "
      "their devices");
  EXPECT_EQ(error_of([&] { offloaded_gpt("offload: none\n" + strategy); }), "no error");
}

}  // namespace
}  // namespace pipewright::test
