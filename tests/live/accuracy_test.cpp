#include "calibrate/live/accuracy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/live/replay.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/experiments.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::live {
namespace {

// One rank, two micro-batches: forwards predicted 10 each, measured 10 and 15; the second waits 3.
TEST(Accuracy, means_and_errors_are_by_kind) {
  test::Times times;
  times.forward = picoseconds(10);
  times.backward = picoseconds(20);
  const test::Simulated run = test::run_schedule(
      schedule::build({.ranks = 1, .micro_batches = 2}, config::scalar("gpipe")), times);
  Timeline measured = run.timeline;
  measured.spans[0] = {{0}, {0}, {10}};
  measured.spans[1] = {{10}, {13}, {28}};
  const std::vector<KindAccuracy> kinds = accuracy(run.program, run.timeline, measured);
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].kind, "forward");
  EXPECT_EQ(kinds[0].count, 2u);
  EXPECT_DOUBLE_EQ(kinds[0].measured_s, 12.5e-12);
  EXPECT_DOUBLE_EQ(kinds[0].error(), -0.2);
  EXPECT_DOUBLE_EQ(kinds[0].waiting_s, 1.5e-12);
  EXPECT_DOUBLE_EQ(kinds[1].error(), 0);
}

// 33 ms of schedule: the live run keeps every micro-batch and is never faster than predicted.
TEST(Replay, a_live_run_reports_as_a_simulated_one_does) {
  const auto device = cpu_device();
  const Replay replay = replay_timed(test::run(test::four_ranks("1f1b")), *device, 1);
  EXPECT_EQ(replay.predicted.result.metrics.iteration, milliseconds(33));
  EXPECT_GE(replay.measured.result.metrics.iteration, milliseconds(33));
  EXPECT_EQ(replay.measured.timeline.executor, "cpu");
  EXPECT_EQ(replay.measured.result.metrics.ranks[0].peak_in_flight, 4);
  EXPECT_LE(replay.iteration_error(), 0);
  const std::string json = json_text({replay});
  for (const char* key : {"\"pipewright.replay/1\"", "\"predicted\"", "\"measured\"",
                          "\"iteration_time\"", "\"forward\""})
    EXPECT_NE(json.find(key), std::string::npos) << key;
}

TEST(Accuracy, weights_of_another_training_do_not_agree) {
  EXPECT_TRUE(agrees({.reference = "one device", .max_relative_difference = 1e-5, .loss = {}}));
  EXPECT_FALSE(agrees({.reference = "one device", .max_relative_difference = 1.27, .loss = {}}));
  EXPECT_FALSE(agrees({.reference = "one device", .max_relative_difference = NAN, .loss = {}}));
}

}  // namespace
}  // namespace pipewright::live
