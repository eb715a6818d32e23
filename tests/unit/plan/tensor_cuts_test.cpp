#include "plan/tensor_cuts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// A block between an embedding and a head, which one micro-batch of two sequences passes once, on
/// two devices with memory without end where every kernel takes a millisecond to begin.
std::string one_block(const std::string& tensor, int degree = 2) {
  return fmt::format(
      "model: {{transformer: {{layers: 1, hidden: 512, heads: 8, ffn: 2048, vocabulary: 1024}}}}\n"
      "cluster: {{devices: 2, device: {{kind: cpu, flops: {{bf16: 1 TFLOP/s}}, memory: 80 GiB, "
      "memory_bandwidth: 1e9 GB/s, launch_overhead: 1 ms}}, link: {{latency: 0 s, bandwidth: 1 "
      "GB/s}}}}\n"
      "parallel: {{tensor: {}, data: {}}}\n"
      "batch: {{global: 4, micro: 2, sequence: 256}}\n"
      "schedule: gpipe\n"
      "overlap: {{tensor: {}}}\n",
      degree, 2 / degree, tensor);
}

double compute_ms(const config::Value& experiment) {
  return 1e3 * in_seconds(run(experiment).result.metrics.ranks.front().compute);
}

double compute_ms(const std::string& tensor) { return compute_ms(experiment(one_block(tensor))); }

// Before a sum of the tensor ranks: two products of the block forward, two backward, and the head's
// gradient of its input. Two micro-batches, each of five times two more kernels.
TEST(TensorCuts, every_column_piece_is_a_kernel) {
  EXPECT_NEAR(compute_ms("{domino: 1, columns: 3}") - compute_ms("none"), 2 * 5 * 2, 1e-3);
}

// Slices have all kernels of a pass, and pieces of columns each.
TEST(TensorCuts, every_slice_has_the_pieces) {
  EXPECT_NEAR(compute_ms("{domino: 2, columns: 3}") - compute_ms("domino"), 2 * 2 * 5 * 2, 1e-3);
}

TEST(TensorCuts, meeting_at_the_end_of_a_layer_is_no_work) {
  EXPECT_NEAR(compute_ms("{domino: 2, intra_layer: true}"), compute_ms("domino"), 1e-6);
}

// An eighth of 1024 columns leaves most processors of an A100 idle: the pieces take longer than the
// product by more than it takes to begin seven kernels.
TEST(TensorCuts, narrow_products_are_less_efficient) {
  const std::string node = "parallel: {tensor: 8}\nschedule: gpipe\noverlap: {tensor: ";
  const auto compute = [&](const char* tensor) {
    return compute_ms(small_gpt(node + tensor + "}\n", 1));
  };
  const double launch_ms = 4e-3;
  const double micro_batches = 64, blocks = 8, more = 7;
  const double begun = micro_batches * (4 * blocks + 1) * more * launch_ms;
  EXPECT_GT(compute("{domino: 1, columns: 8}") - compute("none"), begun);
}

std::string misfit(const std::string& text) {
  return error_of([&] { run(experiment(text)); });
}

TEST(TensorCuts, what_cannot_be_cut_is_refused) {
  EXPECT_NE(misfit(one_block("{domino: 4}")).find("batch.micro must be a multiple"),
            std::string::npos);
  EXPECT_NE(misfit(one_block("{domino: 4, columns: 2}")).find("batch.micro must be a multiple"),
            std::string::npos);
  EXPECT_NE(misfit(one_block("{domino: 1, columns: 513}")).find("has 513 columns"),
            std::string::npos);
  EXPECT_EQ(misfit(one_block("{domino: 1, columns: 512}")), "no error");
}

// One device has no collectives to hide: nothing is cut, nothing refused.
TEST(TensorCuts, a_device_alone_has_nothing_to_hide) {
  EXPECT_EQ(compute_ms(experiment(one_block("{domino: 2, columns: 2}", 1))),
            compute_ms(experiment(one_block("none", 1))));
}

}  // namespace
}  // namespace pipewright::test
