#include "calibrate/replay/shared_cores.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "engine/engine.hpp"
#include "support/jobs.hpp"

namespace pipewright::test {
namespace {

/// Op by op different times, as measurements are.
std::vector<Time> durations_of(const Program& program) {
  std::vector<Time> durations;
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const bool moves = program.type(op).kind == OpKind::transfer;
    durations.push_back(moves ? microseconds(50) : microseconds(1000 + 7 * (op % 13)));
  }
  return durations;
}

Time end_of(const Timeline& timeline) {
  Time end;
  for (const Span& span : timeline.spans) end = std::max(end, span.end);
  return end;
}

Program pipeline(int ranks) { return PipelineJob{.p = ranks, .d = 1, .m = 8}.program(); }

// One core is never idle while anything is left to do: the run takes the sum of all ops.
TEST(SharedCores, one_core_does_everything_one_after_the_other) {
  const Program program = pipeline(4);
  const std::vector<Time> durations = durations_of(program);
  const Time all = std::accumulate(durations.begin(), durations.end(), Time{});
  const Time end = end_of(replay::simulate_on_cores(program, durations, 1));
  EXPECT_NEAR(in_seconds(end), in_seconds(all), 1e-9 * static_cast<double>(program.ops.size()));
}

// With a core for every thread nobody waits for one.
TEST(SharedCores, enough_of_them_change_nothing) {
  const Program program = pipeline(4);
  const std::vector<Time> durations = durations_of(program);
  const Time alone = end_of(simulate(program, durations));
  const Time shared = end_of(replay::simulate_on_cores(program, durations, 64));
  EXPECT_NEAR(in_seconds(shared), in_seconds(alone), 1e-9);
}

// Two cores are at best twice as fast as one, and never faster than any number.
TEST(SharedCores, two_are_between_one_and_many) {
  const Program program = pipeline(8);
  const std::vector<Time> durations = durations_of(program);
  const double one = in_seconds(end_of(replay::simulate_on_cores(program, durations, 1)));
  const double two = in_seconds(end_of(replay::simulate_on_cores(program, durations, 2)));
  EXPECT_GE(two, 0.5 * one);
  EXPECT_LT(two, one);
  EXPECT_GE(two, in_seconds(end_of(simulate(program, durations))));
}

}  // namespace
}  // namespace pipewright::test
