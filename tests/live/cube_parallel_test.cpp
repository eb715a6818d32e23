// Tensor parallelism on a cube of ranks, with real collectives: the same weights as on one device.
#include <gtest/gtest.h>

#include "support/live_gpt.hpp"

namespace pipewright::test {
namespace {

struct OnCube {
  int layers = 4;
  bool tied = true, bias = true;
  int pipeline = 1, data = 1, micro_batches = 2, steps = 8;
  std::string schedule = "gpipe", more;
  const char* heads = "heads: 4, kv_heads: 2";
};

live::RealJob on_cube(const OnCube& c) {
  return live_job({.model = fmt::format("{{transformer: {{layers: {}, hidden: 16, {}, ffn: 32, "
                                        "vocabulary: 24, tied_embeddings: {}, bias: {}}}}}",
                                        c.layers, c.heads, c.tied, c.bias),
                   .batch = ", sequence: 24",
                   .pipeline = c.pipeline,
                   .data = c.data,
                   .tensor = 8,
                   .micro_batches = c.micro_batches,
                   .schedule = c.schedule,
                   .more = c.more,
                   .steps = c.steps,
                   .micro = 4,
                   .parallel = ", tensor_kind: 3d"});
}

TEST(CubeParallel, trains_twenty_steps_as_one_device_does) {
  expect_as_on_one_device(on_cube({.layers = 2, .micro_batches = 1, .steps = 20}), in_step(1));
}

TEST(CubeParallel, with_and_without_tied_tables_and_biases) {
  for (const bool tied : {true, false})
    for (const bool bias : {true, false}) {
      SCOPED_TRACE(testing::Message() << "tied " << tied << ", bias " << bias);
      expect_as_on_one_device(on_cube({.layers = 1, .tied = tied, .bias = bias, .steps = 3}),
                              in_step(2));
    }
}

TEST(CubeParallel, beside_a_pipeline) {
  for (const char* schedule : {"1f1b", "{name: interleaved-1f1b, virtual: 2}", "zb-v", "dualpipe",
                               "pipedream-2bw", "{name: seq-1f1b, slices: 3}"}) {
    SCOPED_TRACE(schedule);
    const bool buffered = schedule == std::string("pipedream-2bw");
    const auto reads = [](int, int b) { return train::Reads{std::max(0, b / 4 - 1), 0}; };
    expect_as_on_one_device(on_cube({.tied = !buffered,
                                     .pipeline = 2,
                                     .micro_batches = 4,
                                     .steps = 3,
                                     .schedule = schedule}),
                            buffered ? train::PassReads{reads, reads} : in_step(4));
  }
}

// Gradients are reduced over the replicas when those of a pass have come together on the cube.
TEST(CubeParallel, beside_data_parallelism) {
  for (const char* schedule : {"gpipe", "zb-h1"})
    expect_as_on_one_device(on_cube({.data = 2, .steps = 3, .schedule = schedule}), in_step(2));
}

}  // namespace
}  // namespace pipewright::test
