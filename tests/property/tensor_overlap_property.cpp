// Tensor collectives hidden behind compute: the same work, never later than what bounds it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "support/experiments.hpp"
#include "support/one_of.hpp"

namespace pipewright::test {
namespace {

double tensor_bytes(const RunResult& result) {
  return result.metrics.communication[static_cast<size_t>(Traffic::tensor)].bytes;
}

double flops(const Program& program) {
  double sum = 0;
  for (const Op& op : program.ops)
    for (const Work& work : program.works_of(program.types[op.type]))
      sum += work.flops * program.ranks[op.rank].multiplicity;
  return sum;
}

/// Eight devices with memory without end that no host has to start kernels on: half of a product
/// then takes half of its time, and slicing is free.
std::string some_plan(std::mt19937_64& random, double gigabytes_per_s) {
  return fmt::format(
      "model: {{transformer: {{layers: 4, hidden: 512, heads: 8, ffn: 2048, vocabulary: 1024}}}}\n"
      "cluster: {{devices: 8, device: {{kind: cpu, flops: {{bf16: 100 GFLOP/s}}, memory: 80 GiB, "
      "memory_bandwidth: 1e9 GB/s}}, link: {{latency: 0 s, bandwidth: {} GB/s}}}}\n"
      "parallel: {{tensor: {}, pipeline: {}, sequence: {}}}\n"
      "batch: {{global: 32, micro: 4, sequence: 256}}\n"
      "schedule: {}\n"
      "recompute: {}\n"
      "network: {}\n",
      gigabytes_per_s, one_of(random, {2, 4}), one_of(random, {1, 2}),
      one_of(random, {true, false}),
      one_of<const char*>(random, {"1f1b", "gpipe", "zb-h1", "{name: interleaved-1f1b, virtual: 2}",
                                   "{name: terapipe, slices: 2}"}),
      one_of<const char*>(random, {"none", "full"}),
      one_of<const char*>(random, {"flow", "alpha-beta"}));
}

const char* with_overlap[] = {"domino",
                              "{domino: 4}",
                              "{domino: 2, intra_layer: true}",
                              "{domino: 1, columns: 4}",
                              "{domino: 2, columns: 3}",
                              "chunked",
                              "{chunked: 3}"};

std::string overlap(const char* tensor) { return fmt::format("overlap: {{tensor: {}}}\n", tensor); }

TEST(TensorOverlap, does_the_same_work_in_no_more_time) {
  int faster = 0;
  for (uint64_t round = 0; round < 24; ++round) {
    std::mt19937_64 random(round);
    const std::string text = some_plan(random, one_of<double>(random, {0.01, 0.1}));
    SCOPED_TRACE(text);
    const auto whole = run(experiment(text));
    const RunResult& none = whole.result;
    for (const char* tensor : with_overlap) {
      SCOPED_TRACE(tensor);
      const auto cut = run(experiment(text + overlap(tensor)));
      const RunResult& hidden = cut.result;
      // Rounded to whole bytes, piece by piece.
      EXPECT_NEAR(tensor_bytes(hidden), tensor_bytes(none), 1e-5 * tensor_bytes(none));
      EXPECT_NEAR(flops(cut.program), flops(whole.program), 1e-9 * flops(whole.program));
      EXPECT_GE(hidden.metrics.makespan, hidden.metrics.bounds.best());
      EXPECT_LE(in_seconds(hidden.metrics.makespan), 1.0001 * in_seconds(none.metrics.makespan));
      for (size_t rank = 0; rank < none.metrics.ranks.size(); ++rank)
        EXPECT_EQ(hidden.metrics.ranks[rank].memory.total(),
                  none.metrics.ranks[rank].memory.total());
      faster += in_seconds(hidden.metrics.makespan) < 0.99 * in_seconds(none.metrics.makespan);
    }
  }
  EXPECT_GT(faster, 84);
}

TEST(TensorOverlap, gains_nothing_where_communication_is_free) {
  for (uint64_t round = 0; round < 6; ++round) {
    std::mt19937_64 random(round);
    const std::string text = some_plan(random, 1e6);
    SCOPED_TRACE(text);
    const double none = in_seconds(run(experiment(text)).result.metrics.makespan);
    for (const char* tensor : with_overlap)
      EXPECT_NEAR(in_seconds(run(experiment(text + overlap(tensor))).result.metrics.makespan), none,
                  1e-4 * none)
          << tensor;
  }
}

TEST(TensorOverlap, folded_is_unfolded) {
  for (uint64_t round = 0; round < 14; ++round) {
    std::mt19937_64 random(round);
    const std::string text =
        some_plan(random, 0.05) + overlap(with_overlap[round % std::size(with_overlap)]);
    SCOPED_TRACE(text);
    EXPECT_NEAR(in_seconds(run(experiment(text), true).result.metrics.makespan),
                in_seconds(run(experiment(text), false).result.metrics.makespan), 1e-9);
  }
}

}  // namespace
}  // namespace pipewright::test
