// Convolutional networks over strips of images, with real halo exchanges: the same weights as on
// one device.
#include <gtest/gtest.h>

#include "support/live_gpt.hpp"

namespace pipewright::test {
namespace {

struct Strips {
  int strips = 2, pipeline = 1, data = 1, micro_batches = 2, steps = 6;
  std::string schedule = "gpipe", model, more;
};

live::RealJob in_strips(const Strips& s) {
  return live_job({.model = s.model,
                   .pipeline = s.pipeline,
                   .data = s.data,
                   .spatial = s.strips,
                   .micro_batches = s.micro_batches,
                   .schedule = s.schedule,
                   .more = s.more,
                   .steps = s.steps,
                   .micro = 6});
}

constexpr const char* lenet =
    "{cnn: {input: [1, 28, 28], layers: [conv 6 5x5, max-pool 2x2 /2, conv 16 5x5 valid, max-pool "
    "2x2 /2, dense 20, dense 10]}}";
constexpr const char* units =
    "{cnn: {input: [2, 16, 9], layers: [conv 4 3x3, max-pool 2x2 /2, {unit: [conv 6 5x5, conv 5 "
    "3x3]}, max-pool 3x3 /1, conv 6 3x3 /2, dense 12, dense 12, dense 5]}}";

// LeNet's second pool has strips of 5 rows under windows that move by 2: one row goes to the
// neighbour although no window of a strip that divides evenly reaches over it.
TEST(Strips, train_twenty_steps_as_one_device_does) {
  for (const char* model : {lenet, units})
    for (const int strips : {2, 3}) {
      SCOPED_TRACE(testing::Message() << model << " over " << strips);
      expect_as_on_one_device(in_strips({.strips = strips, .steps = 20, .model = model}),
                              in_step(2));
    }
}

TEST(Strips, beside_pipeline_and_data_parallelism) {
  for (const char* schedule : {"1f1b", "{name: interleaved-1f1b, virtual: 2}", "zb-v"}) {
    SCOPED_TRACE(schedule);
    expect_as_on_one_device(
        in_strips(
            {.pipeline = 2, .data = 2, .micro_batches = 4, .schedule = schedule, .model = units}),
        in_step(4));
  }
}

TEST(Strips, of_a_perceptron_are_samples_from_its_first_layer_on) {
  expect_as_on_one_device(
      in_strips({.model = "{cnn: {input: [3, 4, 4], layers: [dense 9, dense 5]}}"}), in_step(2));
}

TEST(Strips, what_cannot_be_cut_is_said) {
  const auto error = [](const Strips& s) -> std::string {
    try {
      in_strips(s);
    } catch (const InputError& refused) {
      return refused.what();
    }
    return "trained";
  };
  EXPECT_NE(error({.model = lenet, .more = "recompute: full"})
                .find("parallel.spatial: 2 with recompute cannot be trained live"),
            std::string::npos);
  EXPECT_NE(error({.strips = 4, .model = lenet}).find("batch.micro 6 must be a multiple"),
            std::string::npos);
  EXPECT_NE(error({.model = "{cnn: {input: [1, 8, 8], layers: [max-pool 3x3 /2 pad 1, dense 5]}}"})
                .find("a max-pool that is padded"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
