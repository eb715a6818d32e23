// `on_chip` of an FPGA: weights that fit there are not read from memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

constexpr double product_bytes = 4e6;     // bytes of a product of 1000 x 1000 in fp32
constexpr double bandwidth = 0.73 * 1e9;  // what products reach of 1 GB/s

/// Layers of 1000 x 1000 and a bias, 4 004 000 B each, where all takes as long as memory does.
Run dense(int layers, const std::string& on_chip, const std::string& rest) {
  std::string list;
  for (int layer = 0; layer < layers; ++layer) list += layer > 0 ? ", dense 1000" : "dense 1000";
  return run(experiment(fmt::format(
      "model: {{cnn: {{input: [1000, 1, 1], layers: [{}]}}}}\n"
      "cluster: {{devices: 2, link: {{latency: 0 s}}, device: {{kind: fpga, on_chip: {},\n"
      "  flops: {{fp32: 1000 TFLOP/s}}, memory: 8 GB, memory_bandwidth: 1 GB/s}}}}\n"
      "precision: fp32\n{}",
      list, on_chip, rest)));
}

const std::string on_one = "parallel: {data: 1}\nbatch: {global: 1, micro: 1}\nschedule: 1f1b\n";
const std::string on_two =
    "parallel: {pipeline: 2, data: 1}\nbatch: {global: 1, micro: 1}\nschedule: 1f1b\n";

double compute_s(const Run& run, size_t rank) {
  return in_seconds(run.result.metrics.ranks[rank].compute);
}

// Forward reads the weights of both layers; back, only the second makes an input gradient.
TEST(OnChip, weights_that_fit_are_not_read_from_memory) {
  const double from_memory = compute_s(dense(2, "0 B", on_one), 0);
  const double from_chip = compute_s(dense(2, "8008000 B", on_one), 0);
  EXPECT_NEAR(from_memory - from_chip, 3 * product_bytes / bandwidth, 1e-9);
  EXPECT_EQ(compute_s(dense(2, "8007999 B", on_one), 0), from_memory);
}

TEST(OnChip, a_stage_of_its_own_fits_where_both_do_not) {
  const auto without = dense(2, "0 B", on_two), with = dense(2, "5 MB", on_two);
  EXPECT_EQ(compute_s(dense(2, "5 MB", on_one), 0), compute_s(dense(2, "0 B", on_one), 0));
  EXPECT_NEAR(compute_s(without, 0) - compute_s(with, 0), product_bytes / bandwidth, 1e-9);
  EXPECT_NEAR(compute_s(without, 1) - compute_s(with, 1), 2 * product_bytes / bandwidth, 1e-9);
}

// Each device has two stages of one layer.
TEST(OnChip, stages_of_one_device_share_its_chip) {
  const std::string rest =
      "parallel: {pipeline: 2, data: 1}\nbatch: {global: 2, micro: 1}\n"
      "schedule: {name: interleaved-1f1b, virtual: 2}\n";
  const double from_memory = compute_s(dense(4, "0 B", rest), 0);
  EXPECT_EQ(compute_s(dense(4, "5 MB", rest), 0), from_memory);
  EXPECT_LT(compute_s(dense(4, "9 MB", rest), 0), from_memory);
}

// The first of two stages keeps a second version for the micro-batch that is in flight.
TEST(OnChip, all_versions_of_the_weights_must_fit) {
  const std::string rest =
      "parallel: {pipeline: 2, data: 1}\nbatch: {global: 2, micro: 1}\nschedule: pipedream\n";
  const auto without = dense(2, "0 B", rest), with = dense(2, "5 MB", rest);
  EXPECT_EQ(compute_s(with, 0), compute_s(without, 0));
  EXPECT_LT(compute_s(with, 1), compute_s(without, 1));
}

}  // namespace
}  // namespace pipewright::test
