// `framework` and `launches` in an experiment.
#include <gtest/gtest.h>

#include "experiment/training_state.hpp"
#include "result/memory_use.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

Run gpt_of_framework(const std::string& rest) {
  return run(experiment(
      "model: {transformer: {layers: 4, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 51200}}\n"
      "cluster: {devices: 2, device: {flops: {bf16: 100 TFLOP/s}, memory: 80 GiB, "
      "memory_bandwidth: 2 TB/s}, link: {latency: 5 us, bandwidth: 25 GB/s}}\n"
      "parallel: {pipeline: 2}\n"
      "schedule: 1f1b\n"
      "batch: {global: 8, micro: 1, sequence: 1024}\n" +
      rest));
}

// Two micro-batches are in flight on the first of two ranks: their outputs, 1024 x 1024 numbers of
// 2 bytes each, stay there. Of the gradients those of a pass, as large as the weights, stay too.
TEST(Framework, a_stage_of_deepspeed_keeps_its_outputs_and_the_gradients_of_a_pass) {
  const auto megatron = gpt_of_framework(""),
             deepspeed = gpt_of_framework("framework: deepspeed\n");
  const MemoryUse a = megatron.result.metrics.ranks.front().memory,
                  b = deepspeed.result.metrics.ranks.front().memory;
  EXPECT_EQ(b.activations - a.activations, 2 * (2 * MiB));
  EXPECT_EQ(b.gradients - a.gradients, a.weights);
  EXPECT_EQ(b.optimizer, a.optimizer);
}

// PyTorch has no kernels for what stands between the products of its own attention.
TEST(Framework, torch_runs_unfused_attention_operator_by_operator) {
  const auto iteration = [](const char* kernels) {
    return gpt_of_framework("framework: torch\nattention: unfused\n" + std::string(kernels))
        .result.metrics.iteration;
  };
  EXPECT_EQ(iteration(""), iteration("kernels: eager\n"));
  EXPECT_GT(iteration(""), iteration("kernels: fused\n"));
}

// The host's time, hidden where it runs ahead, comes on top of the device's.
TEST(Launches, a_host_that_waits_makes_an_iteration_longer) {
  EXPECT_GT(gpt_of_framework("launches: blocking\n").result.metrics.iteration,
            gpt_of_framework("launches: ahead\n").result.metrics.iteration);
}

// Source: huggingface/nanotron, trainer.py: gradients are all-reduced after the last backward pass,
// twice the bytes of the reduce-scatter that a distributed optimizer needs, and weights gathered.
TEST(Framework, nanotron_all_reduces_gradients_under_zero_1) {
  const auto data = [](const char* rest) {
    return run(experiment(
                   "model: {transformer: {layers: 4, hidden: 1024, heads: 16, ffn: 4096, "
                   "vocabulary: 51200}}\n"
                   "cluster: {devices: 2, device: {flops: {bf16: 100 TFLOP/s}, memory: 80 GiB, "
                   "memory_bandwidth: 2 TB/s}, link: {latency: 5 us, bandwidth: 25 GB/s}}\n"
                   "parallel: {data: 2, zero: 1}\n"
                   "schedule: 1f1b\n"
                   "overlap: {data: false}\n"
                   "batch: {global: 8, micro: 1, sequence: 1024}\n" +
                   std::string(rest)))
        .result.metrics.communication[static_cast<size_t>(Traffic::data)]
        .bytes;
  };
  // 4 bytes scattered and 2 gathered; 8 summed everywhere and 2 gathered.
  EXPECT_NEAR(data("framework: nanotron\n") / data(""), 10.0 / 6, 1e-6);
}

}  // namespace
}  // namespace pipewright::test
