#include "plan/gradient_sums.hpp"

#include <gtest/gtest.h>

#include "support/experiments.hpp"
#include "support/kernel_sums.hpp"

namespace pipewright::test {
namespace {

constexpr int64_t layer_weights = 1'000'000;

/// Returns the bytes that a layer of a million weights moves beside its product in each pass, in a
/// job of `global` sequences on two replicas.
double summed_bytes(const std::string& rest, int global = 8) {
  const Experiment e = read_experiment(experiment(
      "model: {transformer: {layers: 4, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 51200}}\n"
      "cluster: {node: dgx-a100-80g, nodes: 1, devices: 2}\n"
      "schedule: 1f1b\n"
      "batch: {global: " +
      std::to_string(global) + ", micro: 1, sequence: 1024}\n" + rest));
  std::vector<Layer> layers(1);
  layers[0].device_parameters = layer_weights;
  layers[0].weight_gradient = {{.kernels = {{.kernel = Kernel::gemm}}}};
  add_gradient_sums(e, layers);
  return moved_bytes(layers[0].weight_gradient);
}

const std::string replicas = "parallel: {data: 2}\n", unfused = "attention: unfused\n";

// A product that adds reads and writes the sum; else it writes 2 bytes and a kernel reads them.
TEST(GradientSums, megatron_of_2021_adds_by_a_kernel) {
  EXPECT_EQ(summed_bytes(replicas + unfused + "precision: fp16\n"), 4 * layer_weights);
  EXPECT_EQ(summed_bytes(replicas + unfused + "precision: bf16\n"), 4 * layer_weights);
}

// A framework that is named is of its time, whatever its attention.
TEST(GradientSums, megatron_is_of_the_year_that_it_is_named_by) {
  const auto named = [](const std::string& year, const std::string& rest) {
    return summed_bytes(replicas + "framework: megatron" + year + "\n" + rest);
  };
  EXPECT_EQ(named("", unfused + "precision: bf16\n"), 0);
  EXPECT_EQ(named("-2022", "precision: bf16\n"), 0);
  EXPECT_EQ(named("-2022", "precision: bf16\ngradients: bf16\n"), 4 * layer_weights);
  EXPECT_EQ(named("-2021", "precision: bf16\n"), 4 * layer_weights);
}

TEST(GradientSums, products_of_megatron_core_add_by_themselves) {
  EXPECT_EQ(summed_bytes(replicas + "precision: bf16\n"), 0);
}

// Written as 2 bytes, read, written as 4, read beside the sum of 4, which is written: 20 bytes
// where a product that adds moves 8.
TEST(GradientSums, deepspeed_casts_before_it_adds_in_bf16) {
  for (const char* release : {"deepspeed", "deepspeed-0.5"})
    EXPECT_EQ(
        summed_bytes(replicas + "framework: " + release + "\nprecision: bf16\ngradients: fp32\n"),
        (20 - 8) * layer_weights);
}

TEST(GradientSums, one_micro_batch_has_none) {
  EXPECT_EQ(summed_bytes(replicas + unfused + "precision: fp16\n", 2), 0);
  EXPECT_GT(summed_bytes(replicas + unfused + "precision: fp16\n", 4), 0);
}

// Shards are reduced with every micro-batch.
TEST(GradientSums, sharded_weights_have_none) {
  EXPECT_EQ(summed_bytes("parallel: {data: 2, zero: 3}\nframework: deepspeed\nprecision: bf16\n"),
            0);
}

// What is frozen has no gradient.
TEST(GradientSums, only_trained_weights_count) {
  Experiment e = read_experiment(
      small_gpt("schedule: 1f1b\nparallel: {data: 2}\nprecision: fp16\nattention: unfused\n"));
  std::vector<Layer> layers(2);
  layers[0].device_parameters = layers[1].device_parameters = layer_weights;
  layers[1].trained = 0;
  add_gradient_sums(e, layers);
  EXPECT_EQ(layers[0].weight_gradient.size(), 1u);
  EXPECT_TRUE(layers[1].weight_gradient.empty());
}

}  // namespace
}  // namespace pipewright::test
