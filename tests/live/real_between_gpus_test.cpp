// Training over ranks with a GPU each, whose numbers go from device to device alone: the same
// weights as on one device. Ranks are threads here, their GPUs virtual ones that compute on the
// CPU.
#include <gtest/gtest.h>

#include "calibrate/live/executor/device_share.hpp"
#include "support/live_ranks.hpp"
#include "support/virtual_gpus.hpp"

namespace pipewright::test {
namespace {

using Kinds = std::set<std::string>;
using MakeGpu = live::RankGpu (&)(MeetingPlace&, uint32_t);

/// To the weights of one device; what kinds of operations the links carried.
Kinds train(const LiveModel& model, MakeGpu make_gpu) {
  MeetingPlace place;
  const auto replays = run_over_ranks(model, [&](transport::Session& session, uint32_t rank) {
    return live::gpu_process_device(session, make_gpu(place, rank), {});
  });
  EXPECT_TRUE(place.all_met()) << "who sends is received";
  for (const live::Replay& one : replays)
    EXPECT_EQ(one.iterations_s, replays.front().iterations_s) << "all have the one timeline";
  expect_same_as_one_device(model, replays.front());
  return place.kinds();
}

void expect_trained(const LiveModel& model, const Kinds& kinds) {
  SCOPED_TRACE(model.schedule + model.parallel + model.model);
  EXPECT_EQ(train(model, deferred_gpu), kinds);
}

LiveModel in_two(const std::string& model) { return two_by_two(model, 2); }

LiveModel in_a_pipeline(const std::string& model, const char* schedule) {
  LiveModel pipeline = in_two(model);
  pipeline.data = 1;
  pipeline.schedule = schedule;
  return pipeline;
}

TEST(RealBetweenGpus, every_kind_of_model_with_pipeline_and_data_parallelism) {
  for (const std::string& model : {gpt, perceptron, images, lstm})
    expect_trained(in_two(model), {"message", "all_reduce"});
}

// Each host waits where it puts a message until the other one has come there.
TEST(RealBetweenGpus, hosts_that_wait_for_each_other_wait_for_nothing_else) {
  for (const char* schedule : {"1f1b", "zb-v", "chimera"}) {
    SCOPED_TRACE(schedule);
    LiveModel model = in_two(gpt);
    model.schedule = schedule;
    model.data = 1;
    model.tensor = 2;
    EXPECT_FALSE(train(model, prompt_gpu).empty());
  }
}

TEST(RealBetweenGpus, every_optimizer) {
  for (const char* optimizer : {"sgd", "adam", "adamw"}) {
    LiveModel model = in_two(lstm);
    model.optimizer = optimizer;
    expect_trained(model, {"message", "all_reduce"});
  }
}

// The halves of a tied table are summed. Slices of tokens come one by one, their last as long as it
// is; of bpipe activations move, which stay where they are worked on.
TEST(RealBetweenGpus, every_kind_of_schedule) {
  for (const char* schedule :
       {"gpipe", "{name: interleaved-1f1b, virtual: 2}", "zb-h1", "zb-v", "dualpipe", "chimera",
        "hanayo", "{name: seq-1f1b, slices: 3}", "{name: terapipe, slices: [10, 8, 6]}"}) {
    LiveModel model = in_a_pipeline(gpt, schedule);
    model.batch = ", sequence: 24";
    const bool one_end = std::string(schedule) == "zb-v" || std::string(schedule) == "hanayo";
    expect_trained(model, one_end ? Kinds{"message"} : Kinds{"message", "all_reduce"});
  }
  LiveModel lending = in_a_pipeline(perceptron, "bpipe");
  lending.pipeline = 4;
  lending.micro_batches = 8;
  expect_trained(lending, {"message", "bytes"});
}

TEST(RealBetweenGpus, a_pass_that_is_made_again) {
  LiveModel model = in_two(gpt);
  model.more = "recompute: full";
  expect_trained(model, {"message", "all_reduce"});
}

TEST(RealBetweenGpus, stale_weights_are_those_that_the_schedule_says) {
  for (const char* schedule : {"pipedream", "pipedream-2bw", "pipeoptim"}) {
    LiveModel model = in_a_pipeline(lstm, schedule);
    model.steps = 4;
    expect_trained(model, {"message"});
  }
}

// A line sums, and joins the softmax of the logits from what each has of a row.
TEST(RealBetweenGpus, tensor_parallelism_in_a_line_and_on_a_cube) {
  LiveModel line = in_two(gpt);
  line.data = 1;
  line.tensor = 4;
  expect_trained(line, {"message", "all_reduce", "all_gather"});
  LiveModel cube = in_two(gpt);
  cube.data = 1;
  cube.pipeline = 1;
  cube.tensor = 8;
  cube.micro = 4;
  cube.micro_batches = 2;
  cube.steps = 1;
  cube.parallel = ", tensor_kind: 3d";
  expect_trained(cube, {"all_reduce", "all_gather", "reduce_scatter"});
}

// Two strips have one neighbour each; of three the one in the middle has two.
TEST(RealBetweenGpus, strips_of_images) {
  for (const int strips : {2, 3}) {
    LiveModel model = in_two(images);
    model.data = 1;
    model.spatial = strips;
    model.micro = 6;
    expect_trained(model, {"message", "all_reduce", "trade"});
  }
}

}  // namespace
}  // namespace pipewright::test
