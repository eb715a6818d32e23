// Laws of training on sites that meet every so many steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "support/experiments.hpp"
#include "support/one_of.hpp"

namespace pipewright::test {
namespace {

/// Sixteen devices on a slow switch. With `sites` of them, a site's replicas are those of `data`.
std::string job(std::mt19937_64& random) {
  const int tensor = one_of(random, {1, 2}), pipeline = one_of(random, {1, 2});
  return fmt::format(
      "model: {{transformer: {{layers: 8, hidden: 512, heads: 8, ffn: 2048, vocabulary: "
      "1024{}}}}}\n"
      "cluster: {{devices: 16, device: {{flops: {{bf16: 100 TFLOP/s}}, memory: 80 GiB, "
      "memory_bandwidth: 2 TB/s}}, link: {{latency: 5 us, bandwidth: {} GB/s}}}}\n"
      "parallel: {{tensor: {}, pipeline: {}, zero: {}}}\n"
      "batch: {{global: 32, micro: 1, sequence: 256}}\n"
      "schedule: {}\n"
      "network: {}\n",
      one_of<const char*>(random, {"", ", tied_embeddings: true"}), one_of(random, {1, 10, 100}),
      tensor, pipeline, one_of(random, {0, 1, pipeline == 1 ? 3 : 1}),
      one_of<const char*>(random, {"1f1b", "gpipe", "zb-h1"}),
      one_of<const char*>(random, {"flow", "alpha-beta"}));
}

RunResult with(const std::string& text, const std::string& outer) {
  return run(experiment(text + fmt::format("outer: {{{}}}\n", outer))).result;
}

double exposed(const RunResult& result) { return in_seconds(result.outer->exposed); }

void expect_accounts_add_up(const RunResult& result) {
  EXPECT_EQ(result.metrics.breakdown.total(), result.metrics.iteration);
  for (const RankResult& rank : result.metrics.ranks)
    EXPECT_EQ(rank.breakdown.total(), result.metrics.iteration);
}

/// The mean iteration, by the parts of a period.
double mean_of(const OuterResult& outer) {
  return in_seconds(outer.inner) +
         in_seconds(outer.exposed + outer.compute) / static_cast<double>(outer.every);
}

TEST(OuterSteps, cost_one_part_in_so_many_and_add_up) {
  for (uint64_t round = 0; round < 30; ++round) {
    std::mt19937_64 random(round);
    const std::string text = job(random);
    SCOPED_TRACE(text);
    const int every = static_cast<int>(2 + random() % 100);
    const RunResult each = with(text, "sites: 2, every: 1");
    const RunResult rare = with(text, fmt::format("sites: 2, every: {}", every));
    expect_accounts_add_up(each);
    expect_accounts_add_up(rare);
    EXPECT_EQ(rare.outer->inner, each.outer->inner);
    EXPECT_EQ(rare.outer->exchange, each.outer->exchange);
    EXPECT_EQ(rare.outer->exposed, rare.outer->exchange);  // nothing hides it
    EXPECT_NEAR(in_seconds(each.metrics.iteration), mean_of(*each.outer), 1e-11);
    EXPECT_NEAR(in_seconds(rare.metrics.iteration), mean_of(*rare.outer), 1e-11);
    EXPECT_GT(rare.outer->exchange, Time{});
  }
}

// An inner iteration of two sites is one of a job with half the replicas and half the batch, where
// links are alike.
TEST(OuterSteps, sites_train_like_jobs_of_their_own) {
  for (uint64_t round = 0; round < 20; ++round) {
    std::mt19937_64 random(round);
    const std::string text = job(random);
    SCOPED_TRACE(text);
    std::string half = text;
    half.replace(half.find("devices: 16"), 11, "devices: 8");
    half.replace(half.find("global: 32"), 10, "global: 16");
    const RunResult site = run(experiment(half + "placement: tp-cp-ep-pp-dp\n")).result;
    EXPECT_EQ(with(text, "sites: 2, every: 50").outer->inner, site.metrics.iteration);
  }
}

// What one site gathers is its own weights, whatever sites would exchange.
TEST(OuterSteps, on_one_site_exchange_nothing_with_another) {
  for (uint64_t round = 0; round < 10; ++round) {
    std::mt19937_64 random(round);
    const std::string text = job(random);
    SCOPED_TRACE(text);
    const RunResult plain = run(experiment(text + "placement: tp-cp-ep-pp-dp\n")).result;
    const RunResult one = with(text, "sites: 1, every: 10");
    const RunResult narrow = with(text, "sites: 1, every: 10, precision: fp4");
    EXPECT_EQ(one.outer->inner, plain.metrics.iteration);
    EXPECT_NEAR(in_seconds(one.outer->exchange), in_seconds(narrow.outer->exchange), 1e-9);
    expect_accounts_add_up(one);
  }
}

TEST(OuterSteps, more_overlap_never_slows) {
  for (uint64_t round = 0; round < 15; ++round) {
    std::mt19937_64 random(round);
    const std::string text = job(random);
    const int fragments = one_of(random, {1, 2, 3});
    SCOPED_TRACE(text);
    Time before = longest_time;
    for (const int overlap : {0, 1, 2, 5, 11}) {
      const RunResult result = with(
          text, fmt::format("sites: 4, every: 12, fragments: {}, overlap: {}", fragments, overlap));
      expect_accounts_add_up(result);
      EXPECT_LE(result.outer->exposed, before);
      before = result.outer->exposed;
    }
  }
}

// Each fragment is exchanged by itself: what all fragments send is what one exchange sends, and the
// time differs by latencies.
TEST(OuterSteps, fragments_send_the_same_bytes) {
  for (uint64_t round = 0; round < 10; ++round) {
    std::mt19937_64 random(round);
    const std::string text = job(random);
    SCOPED_TRACE(text);
    const RunResult whole = with(text, "sites: 2, every: 16");
    const RunResult parts = with(text, "sites: 2, every: 16, fragments: 4");
    const auto bytes = [](const RunResult& result) {
      return result.metrics.communication[static_cast<size_t>(Traffic::data)].bytes;
    };
    EXPECT_NEAR(bytes(parts), bytes(whole), 1e-6 * bytes(whole) + 4000);
    EXPECT_GE(exposed(parts), 0.9 * exposed(whole));
  }
}

TEST(OuterSteps, are_the_same_with_every_rank_simulated) {
  for (uint64_t round = 0; round < 10; ++round) {
    std::mt19937_64 random(round);
    const config::Value text =
        experiment(job(random) + "outer: {sites: 2, every: 8, fragments: 2, overlap: 1}\n");
    const RunResult folded = run(text).result, unfolded = run(text, false).result;
    EXPECT_EQ(folded.metrics.iteration, unfolded.metrics.iteration);
    EXPECT_EQ(folded.outer->exchange, unfolded.outer->exchange);
  }
}

// Four sites of a device each on a switch: an all-reduce of n bytes over a ring of four takes at
// least 2 (4 - 1) / 4 n bytes through each port. Algorithms of libraries come near to it.
TEST(OuterSteps, take_what_ports_between_sites_take) {
  const std::string text =
      "model: {transformer: {layers: 8, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 51200}}\n"
      "cluster: {devices: 4, device: {flops: {bf16: 100 TFLOP/s}, memory: 80 GiB, "
      "memory_bandwidth: 2 TB/s}, link: {latency: 5 us, bandwidth: 1 GB/s}}\n"
      "batch: {global: 64, micro: 1, sequence: 1024}\n"
      "schedule: 1f1b\n";
  const RunResult result = with(text, "sites: 4, every: 100");
  double parameters = 0;
  for (const LayerTime& layer : result.metrics.detail.layers) parameters += layer.parameters;
  const double port = 1.5 * 4 * parameters / 1e9;
  EXPECT_GT(in_seconds(result.outer->exchange), port);
  EXPECT_LT(in_seconds(result.outer->exchange), 1.25 * port);
  const RunResult narrow = with(text, "sites: 4, every: 100, precision: fp8");
  EXPECT_NEAR(in_seconds(narrow.outer->exchange), in_seconds(result.outer->exchange) / 4,
              0.02 * in_seconds(result.outer->exchange));
}

}  // namespace
}  // namespace pipewright::test
