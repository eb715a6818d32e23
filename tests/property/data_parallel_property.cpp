// Gradients and weights that replicas exchange: how many bytes, and when at the earliest.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "result/memory_use.hpp"
#include "support/experiments.hpp"
#include "support/one_of.hpp"

namespace pipewright::test {
namespace {

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

// Of the three times two are gathers, which 8 bits halve; the last layer's is one.
TEST(ZeRO3, quantized_weights_are_gathered_in_half_the_bytes) {
  const double devices = 8, two_bytes = 2;
  const double moved =
      data_bytes(run(fully_sharded(1, "parallel: {zero: 3, gathered: int8}\n")).result) /
      (two_bytes * (devices - 1));
  EXPECT_DOUBLE_EQ(moved, all + (2 * all - head) / 2);
}

// Groups of 4 gather and scatter among themselves: 4 devices of 8 send 3 parts of 4; then each
// device all-reduces its quarter with one other.
TEST(ZeRO3, hybrid_shards_stay_in_their_groups) {
  const double bytes = data_bytes(run(fully_sharded(1, "parallel: {zero: 3, shard: 4}\n")).result);
  EXPECT_DOUBLE_EQ(bytes, 2 * (2 * 3 * (3 * all - head) + 4 * 2 * all / 4));
}

/// The same model with experts that `expert` devices spread, on `devices`, a sequence each.
RunResult with_spread_experts(int devices, int expert, const std::string& rest) {
  config::Value job =
      fully_sharded(1, fmt::format("parallel: {{zero: 3, expert: {}{}}}\n", expert, rest));
  config::set_path(job, "model.experts={count: 8, active: 2, every: 2}");
  config::set_path(job, fmt::format("cluster.devices={}", devices));
  config::set_path(job, fmt::format("batch.global={}", devices));
  return run(job).result;
}

// Each of two copies gathers and scatters as if it were alone, experts too; then each device sums
// its piece with the other copy's, which has two bytes a weight as the weights themselves.
TEST(ZeRO3, copies_of_spread_experts_are_each_as_one_alone) {
  for (const int expert : {1, 2, 4}) {
    const RunResult alone = with_spread_experts(4, expert, "");
    const RunResult copies = with_spread_experts(8, expert, ", shard: 4");
    const auto piece = static_cast<double>(alone.metrics.ranks[0].memory.weights.count);
    EXPECT_EQ(copies.metrics.ranks[0].memory.weights, alone.metrics.ranks[0].memory.weights);
    EXPECT_NEAR(data_bytes(copies) / (2 * data_bytes(alone) + 2 * 4 * piece), 1, 1e-4) << expert;
  }
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

/// What `overlap.weights` changes of a plan.
struct Gathered {
  RunResult after, beside;
  Time hidden() const { return after.metrics.iteration - beside.metrics.iteration; }
};

/// Runs a plan with weights that are gathered after the step, and beside the next forward pass.
Gathered gathered(config::Value plan) {
  config::Value overlap = plan.find("overlap") ? *plan.find("overlap") : config::Value{};
  const auto with = [&](const char* truth) {
    overlap.set("weights", config::scalar(truth));
    plan.set("overlap", overlap);
    return run(plan).result;
  };
  return {with("false"), with("true")};
}

/// Every picosecond of every rank is in one part.
void expect_parts_add_up(const Gathered& both) {
  for (const RunResult* result : {&both.after, &both.beside}) {
    EXPECT_EQ(result->metrics.breakdown.total(), result->metrics.iteration);
    for (const auto& rank : result->metrics.ranks)
      EXPECT_EQ(rank.breakdown.total(), result->metrics.iteration);
  }
}

// Without latency the same bytes take as long in pieces, so that nothing is lost by buckets.
TEST(GatheredWeights, cost_no_more_beside_the_next_forward) {
  int faster = 0, same = 0;
  for (uint64_t round = 0; round < 60; ++round) {
    std::mt19937_64 random(round);
    std::string text = some_plan(random);
    text.replace(text.find("latency: 5 us"), 13, "latency: 0 s");
    text += fmt::format("data: {{bucket: {}}}\noverlap: {{data: {}}}\n", 1 + random() % 20'000'000,
                        random() % 2 == 0);
    SCOPED_TRACE(text);
    const Gathered both = gathered(experiment(text));
    const auto rounding = static_cast<double>(both.beside.cost.events);
    EXPECT_GE(static_cast<double>(both.hidden().ps), -rounding);
    // Rounded to whole bytes, bucket by bucket.
    EXPECT_NEAR(data_bytes(both.beside), data_bytes(both.after),
                1e-6 * data_bytes(both.after) + 1000);
    for (size_t rank = 0; rank < both.after.metrics.ranks.size(); ++rank)
      EXPECT_EQ(both.beside.metrics.ranks[rank].memory.total(),
                both.after.metrics.ranks[rank].memory.total());
    expect_parts_add_up(both);
    if (text.find("zero: 0") != std::string::npos) {
      EXPECT_EQ(both.hidden(), Time{});
      ++same;
    } else {
      faster += static_cast<double>(both.hidden().ps) > rounding;
    }
  }
  EXPECT_GT(faster, 10);
  EXPECT_GT(same, 5);
}

TEST(GatheredWeights, are_the_same_folded) {
  for (uint64_t round = 0; round < 20; ++round) {
    std::mt19937_64 random(round);
    const std::string text = some_plan(random) + "overlap: {weights: true}\n";
    SCOPED_TRACE(text);
    const RunResult once = run(experiment(text)).result,
                    every = run(experiment(text), false).result;
    EXPECT_NEAR(once.metrics.makespan.ps, every.metrics.makespan.ps,
                static_cast<double>(every.cost.events));
    EXPECT_NEAR(data_bytes(once), data_bytes(every), 1e-9 * data_bytes(every));
  }
}

// A bucket for each layer, and forward passes that are longer than gathering the next layer: all
// is hidden but the embedding, which nothing is before, and the first block, since looking up the
// embedding takes next to nothing. Each of 8 devices receives 7 parts of 8 at 20 GB/s.
TEST(GatheredWeights, hide_all_but_the_first_layers) {
  config::Value plan = fully_sharded(2, "parallel: {zero: 1}\ndata: {bucket: 1 B}\n");
  plan.find("cluster")->find("device")->find("flops")->set("bf16", config::scalar("1 TFLOP/s"));
  plan.find("cluster")->find("link")->set("latency", config::scalar("0 s"));
  const auto gathering = [](double parameters) { return 2 * parameters * 7 / 8 / 20e9 * 1e12; };
  const Gathered both = gathered(plan);
  const auto hidden = static_cast<double>(both.hidden().ps);
  EXPECT_LE(hidden, gathering(all - 1024 * h) + 100);
  EXPECT_GE(hidden, gathering(all - 1024 * h - block) - 100);
  const Time after = both.after.metrics.breakdown.communicating();
  EXPECT_EQ(after - both.beside.metrics.breakdown.communicating(), both.hidden());
}

TEST(GatheredWeights, mean_nothing_without_replicas) {
  const Gathered both =
      gathered(small_gpt("parallel: {tensor: 8, pipeline: 2, zero: 1}\nschedule: 1f1b\n"));
  EXPECT_EQ(both.hidden(), Time{});
}

TEST(GatheredWeights, are_refused_where_passes_gather_them_or_hold_two_copies) {
  config::Value zero3 = fully_sharded(1, "parallel: {zero: 3}\noverlap: {weights: true}\n");
  EXPECT_THROW(run(zero3), InputError);
  config::Value plan =
      fully_sharded(8, "parallel: {zero: 1, pipeline: 2}\noverlap: {weights: true}\n");
  for (const char* schedule : {"chimera", "pipedream"}) {
    plan.set("schedule", config::scalar(schedule));
    EXPECT_THROW(run(plan), InputError) << schedule;
  }
}

}  // namespace
}  // namespace pipewright::test
