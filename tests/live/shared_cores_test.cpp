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

// Two ranks on each of two hosts of one core: nobody goes faster than half of what two cores do,
// and messages, which no core waits for, cost nothing here.
TEST(SharedCores, processes_share_those_of_their_host) {
  const Program program = pipeline(4);
  std::vector<Time> durations = durations_of(program);
  std::vector<Time> busy(2);
  for (OpId op = 0; op < program.ops.size(); ++op) {
    if (program.type(op).kind == OpKind::transfer) durations[op] = {};
    busy[program.ops[op].rank / 2] += durations[op];
  }
  const replay::Hosts two{{0, 0, 1, 1}, {1, 1}}, four{{0, 1, 2, 3}, {1, 1, 1, 1}};
  const Time end = end_of(replay::simulate_on_hosts(program, durations, two));
  EXPECT_GE(end, std::max(busy[0], busy[1]));
  EXPECT_GT(end, end_of(simulate(program, durations)));
  EXPECT_NEAR(in_seconds(end_of(replay::simulate_on_hosts(program, durations, four))),
              in_seconds(end_of(simulate(program, durations))), 1e-9);
}

// Seven ranks on a host of three cores and one on another: 3, 3 and 1 of them at a time.
TEST(SharedCores, processes_compute_alone_in_turns) {
  const replay::Hosts hosts{{0, 0, 1, 0, 0, 0, 0, 0}, {3, 1}};
  EXPECT_EQ(hosts.place(1), 1);
  EXPECT_EQ(hosts.place(2), 0);
  EXPECT_EQ(hosts.place(7), 6);
  EXPECT_EQ(hosts.turns(), 3);
}

}  // namespace
}  // namespace pipewright::test
