// Tensor parallelism with real collectives: the same weights as on one device.
#include <gtest/gtest.h>

#include "support/live_gpt.hpp"

namespace pipewright::test {
namespace {

TEST(TensorParallel, trains_as_one_device_does) {
  for (const bool tied : {true, false}) {
    for (const bool bias : {true, false}) {
      SCOPED_TRACE(testing::Message() << "tied " << tied << ", bias " << bias);
      expect_as_on_one_device(live_gpt({.pipeline = 1,
                                        .tensor = 2,
                                        .blocks = 2,
                                        .micro_batches = 2,
                                        .schedule = "gpipe",
                                        .steps = 8,
                                        .tied = tied,
                                        .bias = bias}),
                              in_step(2));
    }
  }
}

TEST(TensorParallel, beside_pipeline_and_data_parallelism) {
  for (const char* schedule : {"1f1b", "{name: interleaved-1f1b, virtual: 2}", "zb-v", "dualpipe",
                               "{name: seq-1f1b, slices: 3}"}) {
    SCOPED_TRACE(schedule);
    expect_as_on_one_device(live_gpt({.pipeline = 2,
                                      .data = 2,
                                      .tensor = 2,
                                      .blocks = 4,
                                      .micro_batches = 4,
                                      .schedule = schedule,
                                      .steps = 4}),
                            in_step(4));
  }
}

// A quarter of the heads and of a vocabulary of 16 each; positions are learned everywhere.
TEST(TensorParallel, over_four_ranks) {
  expect_as_on_one_device(live_job({.model = "{transformer: {layers: 2, hidden: 16, heads: 8, "
                                             "kv_heads: 4, ffn: 32, "
                                             "vocabulary: 16}}",
                                    .batch = ", sequence: 12",
                                    .pipeline = 2,
                                    .tensor = 4,
                                    .micro_batches = 4,
                                    .schedule = "1f1b",
                                    .steps = 6}),
                          in_step(4));
}

// Two products of a block are cut by columns, two by rows: half of 16 * 48 + 48, 16 * 16, 16 * 32 +
// 32 and 32 * 16. Two norms of 2 * 16 and the biases after a sum, 16 each, are everywhere.
TEST(TensorParallel, a_rank_holds_its_part_of_the_weights) {
  const live::RealJob job = live_gpt({.pipeline = 2, .tensor = 2, .blocks = 4});
  const int64_t block = (768 + 48 + 256 + 512 + 32 + 512) / 2 + 2 * 32 + 2 * 16;
  const int64_t embedding = 16 / 2 * 16 + 24 * 16, head = 2 * 16 + 16 / 2 * 16;
  EXPECT_EQ(job.model.stage(0, 1).parameters(), embedding + 2 * block);
  EXPECT_EQ(job.model.stage(1, 1).parameters(), 2 * block + head);
}

void expect_refused(LiveGpt gpt, const std::string& message) {
  try {
    live_gpt(gpt);
    FAIL() << "trained with " << gpt.more;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

TEST(TensorParallel, what_cannot_be_trained_is_said) {
  expect_refused({.tensor = 2, .more = "recompute: full"}, "2 with recompute cannot be trained");
  expect_refused({.tensor = 2, .more = "overlap: {tensor: domino}"}, "overlap.tensor cannot be");
  EXPECT_THROW(
      live_job(
          {.model = "{cnn: {input: [4, 1, 1], layers: [dense 4]}}", .pipeline = 1, .tensor = 2}),
      InputError);
}

}  // namespace
}  // namespace pipewright::test
