// What replicas exchange under ZeRO 1 to 3, counted by hand: P parameters on each of n devices, 2
// bytes a weight and 4 a gradient. A ring passes (n - 1) B to gather or scatter B bytes.
#include "plan/data_parallel.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

double data_bytes(const config::Value& experiment) {
  return run(experiment).result.metrics.communication[static_cast<size_t>(Traffic::data)].bytes;
}

/// 16 replicas with 4 micro-batches each.
double dense_iteration(const std::string& parallel, const std::string& rest = "") {
  return data_bytes(small_gpt("parallel: {" + parallel + "}\nschedule: 1f1b\n" + rest));
}

// ZeRO 1 passes 4 + 2 bytes a parameter, ZeRO 2 4 x 4 + 2.
TEST(DataParallel, gradients_that_are_cut_are_reduced_after_every_backward_pass) {
  EXPECT_DOUBLE_EQ(dense_iteration("zero: 2") / dense_iteration("zero: 1"), 18.0 / 6);
}

TEST(DataParallel, one_backward_pass_is_reduced_once) {
  const char* one = "batch: {global: 16, micro: 1, sequence: 1024}\n";
  const auto bytes = [&](const char* zero) {
    config::Value job = small_gpt(std::string("parallel: {zero: ") + zero + "}\nschedule: 1f1b\n");
    config::merge(job, config::parse(one, "x.yaml"));
    return data_bytes(job);
  };
  EXPECT_DOUBLE_EQ(bytes("2"), bytes("1"));
}

// PyTorch's pipeline stages reduce once a step, and keep whole gradients until then.
TEST(DataParallel, stages_of_a_pipeline_reduce_once) {
  EXPECT_DOUBLE_EQ(dense_iteration("pipeline: 2, zero: 2"),
                   dense_iteration("pipeline: 2, zero: 1"));
}

TEST(DataParallel, weights_gathered_beside_the_forward_pass_are_as_many) {
  EXPECT_DOUBLE_EQ(dense_iteration("zero: 2", "overlap: {weights: true}\n"),
                   dense_iteration("zero: 2"));
}

TEST(DataParallel, simulated_one_by_one_replicas_pass_as_much_in_as_long) {
  const config::Value job = small_gpt("parallel: {zero: 2}\nschedule: 1f1b\n");
  const auto folded = run(job), whole = run(job, false);
  EXPECT_EQ(folded.result.metrics.iteration, whole.result.metrics.iteration);
}

/// The bytes that experts twice as wide add, 16 of them over `expert` devices.
double added_by_experts(int expert, int zero) {
  const auto bytes = [&](int width) {
    return data_bytes(experiment(
        "model: {transformer: {layers: 4, hidden: 512, heads: 8, ffn: 2048, vocabulary: 51200,\n"
        "        experts: {count: 16, active: 2, ffn: " +
        std::to_string(width) +
        "}}}\n"
        "cluster: {node: dgx-a100-80g, nodes: 2, fabric: {kind: fat-tree, link: hdr, nics: 8}}\n"
        "batch: {global: 64, micro: 1, sequence: 1024}\n"
        "schedule: 1f1b\n"
        "parallel: {expert: " +
        std::to_string(expert) + ", zero: " + std::to_string(zero) + "}\n"));
  };
  return bytes(2048) - bytes(1024);
}

TEST(DataParallel, experts_that_one_device_holds_are_not_exchanged) {
  for (const int zero : {1, 2, 3}) EXPECT_EQ(added_by_experts(16, zero), 0) << zero;
}

// 8 pairs of devices hold 2 experts each. ZeRO 3 gathers weights twice a micro-batch.
TEST(DataParallel, experts_are_exchanged_by_the_devices_that_hold_the_same) {
  constexpr double blocks = 4, pairs = 8, held = 2, matrices = 2;
  const double more = pairs * blocks * held * matrices * 512 * 1024;
  EXPECT_NEAR(added_by_experts(8, 1), more * 6, more * 1e-9);
  EXPECT_NEAR(added_by_experts(8, 2), more * 18, more * 1e-9);
  EXPECT_NEAR(added_by_experts(8, 3), more * 4 * (2 + 2 + 4), more * 1e-9);
}

}  // namespace
}  // namespace pipewright::test
