#include "run/goodput_events.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

RunResult with_failures(const std::string& failures, const std::string& rest = "") {
  return run(small_gpt("parallel: {tensor: 2}\nschedule: 1f1b\n" + rest + "failures: {" + failures +
                       "}\n"))
      .result;
}

constexpr const char* plain_failures =
    "device_mtbf: 200 d, checkpoint_interval: 30 min, checkpoint_time: "
    "60 s, restart_time: 10 min";

std::string events(const std::string& keys) {
  return plain_failures + (", events: {" + keys + "}");
}

// 16 devices on 2 nodes: a node fails every 25 days.
TEST(GoodputEvents, stand_beside_the_formula) {
  const RunResult result = with_failures(events("time: 300 d, seeds: 200"));
  ASSERT_TRUE(result.goodput && result.goodput->events);
  const GoodputEvents& drawn = *result.goodput->events;
  EXPECT_NEAR(drawn.fraction, result.goodput->fraction, 1e-3);
  EXPECT_NEAR(drawn.failures, 300.0 * 16 / 200, 2);
  EXPECT_NEAR(drawn.fraction + drawn.checkpoints + drawn.lost + drawn.restarts + drawn.waiting +
                  drawn.missing,
              1, 1e-9);
  EXPECT_LE(drawn.p10, drawn.fraction);
  EXPECT_GE(drawn.p90, drawn.fraction);
  EXPECT_FALSE(with_failures(plain_failures).goodput->events);
}

TEST(GoodputEvents, decide_the_time_to_train) {
  const std::string training = "training: {tokens: 3B}\n";
  const RunResult never =
      run(small_gpt("parallel: {tensor: 2}\nschedule: 1f1b\n" + training)).result;
  const RunResult result = with_failures(events("repair_time: 5 d"), training);
  EXPECT_NEAR(*result.training.time_s, *never.training.time_s / result.goodput->events->fraction,
              1e-9 * *result.training.time_s);
  EXPECT_LT(result.goodput->events->fraction, result.goodput->fraction);
}

// 14 bytes a weight: 2 of bf16, 4 of the master copy, 8 of Adam's moments.
TEST(GoodputEvents, write_at_the_bandwidth) {
  const RunResult slow = with_failures(events("bandwidth: 10 MB/s, seeds: 20"));
  double parameters = 0;
  for (const LayerTime& layer : slow.metrics.detail.layers) parameters += layer.parameters;
  const double seconds = 14 * parameters / 1e7;
  const RunResult same =
      with_failures(events("write_time: " + std::to_string(seconds) + " s, seeds: 20"));
  EXPECT_NEAR(slow.goodput->events->fraction, same.goodput->events->fraction, 1e-6);
}

TEST(GoodputEvents, elastic_jobs_go_on) {
  const std::string repair = "repair_time: 5 d";
  const double waits = with_failures(events(repair)).goodput->events->fraction;
  for (const char* way : {"replicas", "stages", "nodes"})
    EXPECT_GT(with_failures(events(repair + ", elastic: " + way)).goodput->events->fraction, waits);
}

TEST(GoodputEvents, are_refused_by_name) {
  const auto says = [](const std::string& keys, const char* what) {
    const std::string error = error_of([&] { with_failures(events(keys)); });
    EXPECT_NE(error.find(what), std::string::npos) << error;
  };
  says("memory_time: 1 s", "memory_interval");
  says("write_time: 1 s, bandwidth: 1 GB/s", "write_time");
  says("memory_interval: 1 ms, seeds: 10000", "histories have some");
  says("time: 0 s", "time must be more than zero");
  says("elastic: maybe", "must be one of none, replicas, stages, nodes");
}

}  // namespace
}  // namespace pipewright::test
