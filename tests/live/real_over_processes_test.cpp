// Training over ranks that know of each other only by packets: the same weights as on one device.
// Ranks are threads here, each with its own part of the model; 'processes.sh' runs them under
// mpirun.
#include "calibrate/live/real_over_processes.hpp"

#include <gtest/gtest.h>

#include "calibrate/live/executor/process_run.hpp"
#include "support/live_ranks.hpp"

namespace pipewright::test {
namespace {

void expect_trained(const LiveModel& model) {
  SCOPED_TRACE(model.schedule + model.parallel + model.model);
  const auto replays = run_over_ranks(model, [](transport::Session& session, uint32_t) {
    return live::process_device(session, {});
  });
  expect_same_as_one_device(model, replays.front());
}

LiveModel in_four(const std::string& model) { return two_by_two(model, 4); }

TEST(RealOverProcesses, every_kind_of_model_with_pipeline_and_data_parallelism) {
  for (const std::string& model : {gpt, perceptron, images, lstm}) expect_trained(in_four(model));
}

// Among them are one that moves activations of others and one that splits the backward pass.
TEST(RealOverProcesses, every_kind_of_schedule) {
  for (const char* schedule : {"gpipe", "{name: interleaved-1f1b, virtual: 2}", "zb-v", "dualpipe",
                               "chimera", "bpipe", "{name: seq-1f1b, slices: 3}"}) {
    LiveModel model = in_four(gpt);
    model.data = 1;
    model.batch = ", sequence: 24";
    model.schedule = schedule;
    expect_trained(model);
  }
}

TEST(RealOverProcesses, stale_weights_are_those_that_the_schedule_says) {
  for (const char* schedule : {"pipedream", "pipedream-2bw", "pipeoptim"}) {
    LiveModel model = in_four(lstm);
    model.data = 1;
    model.schedule = schedule;
    expect_trained(model);
  }
}

TEST(RealOverProcesses, tensor_parallelism_in_a_line_and_on_a_cube) {
  LiveModel line = in_four(gpt);
  line.data = 1;
  line.tensor = 4;
  expect_trained(line);
  LiveModel cube = in_four(gpt);
  cube.data = 1;
  cube.pipeline = 1;
  cube.tensor = 8;
  cube.micro = 4;
  cube.parallel = ", tensor_kind: 3d";
  expect_trained(cube);
}

// Two strips have one neighbour each; of three the one in the middle has two.
TEST(RealOverProcesses, strips_of_images) {
  for (const int strips : {2, 3}) {
    LiveModel model = in_four(images);
    model.data = 1;
    model.spatial = strips;
    model.micro = 6;
    expect_trained(model);
  }
}

}  // namespace
}  // namespace pipewright::test
