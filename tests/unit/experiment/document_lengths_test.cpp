#include "experiment/document_lengths.hpp"
#include "run/unequal_batches.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

// Documents of 300 in sequences of 1000: 300, 300, 300, 100; then 200, 300, 300, 200; then 100,
// 300, 300, 300. In thousands of thousands: 0.28, 0.26, 0.28.
TEST(DocumentLengths, packed_sequences_are_filled_and_documents_go_on_in_the_next) {
  const auto shares = draw_shares({.given = {300}}, 1000, 1, 3, 0, 0);
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_DOUBLE_EQ(shares[0].attention, 0.28);
  EXPECT_DOUBLE_EQ(shares[1].attention, 0.26);
  EXPECT_DOUBLE_EQ(shares[2].attention, 0.28);
  for (const LengthShare& share : shares) EXPECT_DOUBLE_EQ(share.tokens, 1);
}

// The mean of a micro-batch's two sequences.
TEST(DocumentLengths, a_micro_batch_has_the_attention_of_its_sequences) {
  EXPECT_DOUBLE_EQ(draw_shares({.given = {300}}, 1000, 2, 1, 0, 0).front().attention, 0.27);
}

TEST(DocumentLengths, padded_micro_batches_are_as_long_as_their_longest_document) {
  const LengthShare half = draw_shares({.given = {500}, .packed = false}, 1000, 4, 1, 0, 0).front();
  EXPECT_DOUBLE_EQ(half.tokens, 0.5);
  EXPECT_DOUBLE_EQ(half.attention, 0.25);
  const LengthShare cut = draw_shares({.given = {5000}, .packed = false}, 1000, 1, 1, 0, 0).front();
  EXPECT_DOUBLE_EQ(cut.tokens, 1);
}

TEST(DocumentLengths, replicas_and_seeds_draw_their_own) {
  const DocumentLengths lengths{.mean = 500, .spread = 1};
  const auto drawn = [&](uint64_t seed, int data) {
    return draw_shares(lengths, 1000, 1, 4, seed, data);
  };
  EXPECT_EQ(drawn(1, 0), drawn(1, 0));
  EXPECT_NE(drawn(1, 0), drawn(1, 1));
  EXPECT_NE(drawn(1, 0), drawn(2, 0));
}

// Short documents in sequences that none fills: their mean length is the distribution's. Of 20000
// draws with a spread of 0.5 the mean is off by 0.4 % (one standard deviation).
TEST(DocumentLengths, have_the_mean_that_is_asked_for) {
  const DocumentLengths lengths{.mean = 500, .spread = 0.5, .packed = false};
  double sum = 0;
  for (const LengthShare& share : draw_shares(lengths, 100'000, 1, 20'000, 7, 0))
    sum += share.tokens * 100'000;
  EXPECT_NEAR(sum / 20'000, 500, 10);
}

Run gpt_of_lengths(const std::string& lengths) {
  config::Value document = small_gpt("parallel: {data: 4}\nschedule: 1f1b\n", 1);
  document.set("cluster", config::parse("{node: dgx-a100-80g, nodes: 1, devices: 4}", "c.yaml"));
  document.set("batch", config::parse("{global: 16, micro: 1, sequence: 1024" + lengths + "}",
                                      "batch.yaml"));
  return run(document);
}

TEST(DocumentLengths, whole_sequences_change_nothing) {
  EXPECT_EQ(gpt_of_lengths(", lengths: {mean: 1024}").result.metrics.iteration,
            gpt_of_lengths("").result.metrics.iteration);
}

// Four quarters of a sequence: a quarter of the attention and all of the rest.
TEST(DocumentLengths, short_documents_save_attention_only) {
  const Time whole = gpt_of_lengths("").result.metrics.iteration;
  const Time packed = gpt_of_lengths(", lengths: {mean: 256}").result.metrics.iteration;
  const Time padded =
      gpt_of_lengths(", lengths: {mean: 256, packing: padded}").result.metrics.iteration;
  EXPECT_LT(packed, whole);
  EXPECT_LT(padded, packed);
  EXPECT_GT(in_seconds(packed), 0.7 * in_seconds(whole));
}

/// What each simulated rank computes.
std::vector<Time> computed(const Run& run) {
  std::vector<Time> sums(run.program.ranks.size());
  for (OpId op = 0; op < run.program.ops.size(); ++op)
    if (run.program.type(op).kind == OpKind::compute)
      sums[run.program.ops[op].rank] += run.timeline.spans[op].end - run.timeline.spans[op].start;
  return sums;
}

// All four replicas are simulated; all but the slowest wait in the all-reduce.
TEST(DocumentLengths, replicas_differ_and_the_slowest_holds_up_the_others) {
  const auto run = gpt_of_lengths(", lengths: {mean: 400, spread: 1.2}");
  const std::vector<Time> sums = computed(run);
  ASSERT_EQ(sums.size(), 4u);
  const std::set<Time> different(sums.begin(), sums.end());
  EXPECT_EQ(different.size(), 4u);
  EXPECT_GE(run.result.metrics.iteration, *different.rbegin());
}

TEST(DocumentLengths, mistakes_are_said_where_they_are) {
  EXPECT_EQ(error_of([] { gpt_of_lengths(", lengths: {mean: 256, packing: tight}"); }),
            "batch.yaml:1:70: error: 'tight' must be one of packed, padded");
  EXPECT_EQ(error_of([] { read_lengths(config::parse("{file: x, mean: 3}", "l.yaml")); }),
            "l.yaml:1:17: error: 'mean' means nothing beside 'file'");
}

TEST(DocumentLengths, meshes_that_are_not_alike_are_refused) {
  const auto two_stages = [](const std::string& lengths) {
    run(experiment(
        "model: {transformer: {layers: 4, hidden: 64, heads: 4, ffn: 128, vocabulary: 512}}\n"
        "cluster: {node: dgx-a100-80g, nodes: 1, devices: 2}\n"
        "batch: {global: 4, micro: 1, sequence: 64" +
        lengths +
        "}\n"
        "strategy: [{layers: 0-1, devices: 0, sharding: {activations: R}}, {layers: 2-3, devices: "
        "1}]\nschedule: 1f1b\n"));
  };
  EXPECT_EQ(error_of([&] { two_stages(", lengths: {mean: 32}"); }),
            "x.yaml:3:8: error: batch.lengths needs stages that are alike: those of this "
            "'strategy' split a micro-batch each in its own way");
  EXPECT_EQ(error_of([&] { two_stages(""); }), "no error");
}

}  // namespace
}  // namespace pipewright::test
