// Gradients and weights that replicas exchange: how many bytes, and when at the earliest.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "result/memory_use.hpp"
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

/// A GPT of `layers` blocks of hidden size h on eight devices without tensor or pipeline
/// parallelism, learned positions and tied embeddings left out.
config::Value fully_sharded(int micro_batches, const std::string& rest) {
  return experiment(
      fmt::format("model: {{transformer: {{layers: 4, hidden: 512, heads: 8, ffn: 2048, "
                  "vocabulary: 1024, tied_embeddings: false, positions: rope}}}}\n"
                  "cluster: {{devices: 8, device: {{flops: {{bf16: 100 TFLOP/s}}, memory: 80 GiB, "
                  "memory_bandwidth: 2 TB/s}}, link: {{latency: 5 us, bandwidth: 20 GB/s}}}}\n"
                  "batch: {{global: {}, micro: 1, sequence: 256}}\n"
                  "gradients: bf16\n"
                  "schedule: 1f1b\n",
                  8 * micro_batches) +
      rest);
}

// Hidden h = 512, vocabulary 1024. A block: four h x h projections with biases, two products with
// the MLP of 4 h with biases, two norms of 2 h; the embedding 1024 h; the head that and a norm.
constexpr double h = 512;
constexpr double block = 4 * (h * h + h) + (4 * h * h + 4 * h) + (4 * h * h + h) + 2 * 2 * h;
constexpr double head = 1024 * h + 2 * h;
constexpr double all = 1024 * h + 4 * block + head;

// arXiv 1910.02054, section 7.2: 3 Psi a step, where data parallelism has 2 Psi; each of N devices
// sends (N - 1) / N of a buffer. The last layer is not gathered twice, see lower_sharding.cpp.
TEST(ZeRO3, moves_the_weights_three_times) {
  const double devices = 8, two_bytes = 2;
  const auto moved = [&](int micro_batches, const std::string& rest) {
    return data_bytes(run(fully_sharded(micro_batches, rest)).result) / (two_bytes * (devices - 1));
  };
  EXPECT_DOUBLE_EQ(moved(1, "parallel: {zero: 0}\n"), 2 * all);
  EXPECT_DOUBLE_EQ(moved(1, "parallel: {zero: 1}\n"), 2 * all);
  EXPECT_DOUBLE_EQ(moved(1, "parallel: {zero: 3}\n"), 3 * all - head);
  EXPECT_DOUBLE_EQ(moved(1, "parallel: {zero: 3, prefetch: 0}\n"), 3 * all - head);
  // With gradient accumulation every micro-batch gathers and scatters.
  EXPECT_DOUBLE_EQ(moved(4, "parallel: {zero: 3}\n"), 4 * (3 * all - head));
  EXPECT_DOUBLE_EQ(moved(4, "parallel: {zero: 3, reshard: false}\n"), 4 * 2 * all);
}

// Groups of 4 gather and scatter among themselves: 4 devices of 8 send 3 parts of 4; then each
// device all-reduces its quarter with one other.
TEST(ZeRO3, hybrid_shards_stay_in_their_groups) {
  const double bytes = data_bytes(run(fully_sharded(1, "parallel: {zero: 3, shard: 4}\n")).result);
  EXPECT_DOUBLE_EQ(bytes, 2 * (2 * 3 * (3 * all - head) + 4 * 2 * all / 4));
}

// arXiv 1910.02054, section 5: (2 + 2 + 12) Psi / N, beside what is gathered and not yet scattered.
TEST(ZeRO3, memory_is_divided_by_the_devices) {
  const MemoryUse use =
      run(fully_sharded(1, "parallel: {zero: 3}\n")).result.metrics.ranks[0].memory;
  EXPECT_DOUBLE_EQ(static_cast<double>((use.weights + use.gradients + use.optimizer).count),
                   16 * all / 8);
  EXPECT_DOUBLE_EQ(static_cast<double>(use.buffers.count), 2 * (2 * block) + 2 * (2 * block));
}

TEST(ZeRO3, is_the_same_folded_and_moves_the_same_whatever_is_fetched_ahead) {
  int faster = 0;
  for (uint64_t round = 0; round < 60; ++round) {
    std::mt19937_64 random(round);
    const std::string plan = some_plan(random);
    SCOPED_TRACE(plan);
    config::Value eager = experiment(plan);
    eager.find("parallel")->set("zero", config::number(3));
    if (random() % 2) eager.find("parallel")->set("shard", config::number(2));
    if (random() % 2) eager.find("parallel")->set("reshard", config::scalar("true"));
    config::Value late = eager;
    eager.find("parallel")->set("prefetch", config::number(1 + static_cast<int>(random() % 3)));
    late.find("parallel")->set("prefetch", config::number(0));
    const RunResult once = run(eager).result, every = run(eager, false).result;
    const RunResult none = run(late).result;
    EXPECT_LT(once.cost.events, every.cost.events);
    EXPECT_NEAR(once.metrics.makespan.ps, every.metrics.makespan.ps,
                static_cast<double>(every.cost.events));
    EXPECT_GE(once.metrics.makespan, once.metrics.bounds.best());
    EXPECT_NEAR(data_bytes(once), data_bytes(every), 1e-9 * data_bytes(every));
    EXPECT_NEAR(data_bytes(once), data_bytes(none), 1e-9 * data_bytes(none));
    faster += once.metrics.makespan < none.metrics.makespan;
  }
  EXPECT_GT(faster, 30);
}

TEST(ZeRO3, schedules_that_keep_two_copies_are_refused) {
  for (const char* schedule : {"chimera", "pipedream"}) {
    config::Value text = fully_sharded(8, "parallel: {zero: 3, pipeline: 2}\n");
    text.set("schedule", config::scalar(schedule));
    EXPECT_THROW(run(text), InputError) << schedule;
  }
}

}  // namespace
}  // namespace pipewright::test
