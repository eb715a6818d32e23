// Gradients and weights that replicas exchange: how many bytes, and when at the earliest.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

template <class T>
T one_of(std::mt19937_64& random, std::initializer_list<T> all) {
  return *(all.begin() + random() % all.size());
}

double data_bytes(const RunResult& result) {
  return result.metrics.communication[static_cast<size_t>(Traffic::data)].bytes;
}

/// Eight devices on a slow switch: some of each kind of parallelism.
std::string some_plan(std::mt19937_64& random) {
  const int tensor = one_of(random, {1, 2}), pipeline = one_of(random, {1, 2});
  return fmt::format(
      "model: {{transformer: {{layers: 8, hidden: 512, heads: 8, ffn: 2048, vocabulary: 1024}}}}\n"
      "cluster: {{devices: 8, device: {{flops: {{bf16: 100 TFLOP/s}}, memory: 80 GiB, "
      "memory_bandwidth: 2 TB/s}}, link: {{latency: 5 us, bandwidth: {} GB/s}}}}\n"
      "parallel: {{tensor: {}, pipeline: {}, zero: {}}}\n"
      "batch: {{global: 32, micro: 1, sequence: 256}}\n"
      "schedule: {}\n"
      "network: {}\n",
      one_of(random, {1, 10, 100}), tensor, pipeline, one_of(random, {0, 1, 2}),
      one_of<const char*>(random, {"1f1b", "gpipe", "zb-h1", "{name: interleaved-1f1b, virtual: 2}",
                                   "{name: terapipe, slices: 2}"}),
      one_of<const char*>(random, {"flow", "alpha-beta"}));
}

TEST(GradientBuckets, send_every_gradient_once_and_hold_no_more) {
  int faster = 0;
  for (uint64_t round = 0; round < 60; ++round) {
    std::mt19937_64 random(round);
    const std::string text = some_plan(random);
    SCOPED_TRACE(text);
    const std::string small =
        text + fmt::format("data: {{bucket: {}}}\n", 1 + random() % 20'000'000);
    const RunResult whole = run(experiment(text + "data: {bucket: 1 TB}\n")).result;
    const RunResult cut = run(experiment(small)).result;
    const RunResult after = run(experiment(small + "overlap: {data: false}\n")).result;
    // Rounded to whole bytes, bucket by bucket.
    EXPECT_NEAR(data_bytes(cut), data_bytes(whole), 1e-6 * data_bytes(whole) + 1000);
    EXPECT_NEAR(data_bytes(after), data_bytes(whole), 1e-6 * data_bytes(whole) + 1000);
    for (size_t rank = 0; rank < whole.metrics.ranks.size(); ++rank)
      EXPECT_EQ(cut.metrics.ranks[rank].memory.total(), whole.metrics.ranks[rank].memory.total());
    EXPECT_GE(cut.metrics.makespan, cut.metrics.bounds.best());
    faster += cut.metrics.makespan < whole.metrics.makespan;
  }
  EXPECT_GT(faster, 10);
}

}  // namespace
}  // namespace pipewright::test
