#include "calibrate/live/executor/shared_cores.hpp"

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
  const Time end = end_of(live::simulate_on_cores(program, {durations, {}}, 1));
  EXPECT_NEAR(in_seconds(end), in_seconds(all), 1e-9 * static_cast<double>(program.ops.size()));
}

// With a core for every thread nobody waits for one.
TEST(SharedCores, enough_of_them_change_nothing) {
  const Program program = pipeline(4);
  const std::vector<Time> durations = durations_of(program);
  const Time alone = end_of(simulate(program, durations));
  const Time shared = end_of(live::simulate_on_cores(program, {durations, {}}, 64));
  EXPECT_NEAR(in_seconds(shared), in_seconds(alone), 1e-9);
}

// Two cores are at best twice as fast as one, and never faster than any number.
TEST(SharedCores, two_are_between_one_and_many) {
  const Program program = pipeline(8);
  const std::vector<Time> durations = durations_of(program);
  const double one = in_seconds(end_of(live::simulate_on_cores(program, {durations, {}}, 1)));
  const double two = in_seconds(end_of(live::simulate_on_cores(program, {durations, {}}, 2)));
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
  const live::Hosts two{{0, 0, 1, 1}, {1, 1}}, four{{0, 1, 2, 3}, {1, 1, 1, 1}};
  const Time end = end_of(live::simulate_on_hosts(program, {durations, {}}, two));
  EXPECT_GE(end, std::max(busy[0], busy[1]));
  EXPECT_GT(end, end_of(simulate(program, durations)));
  EXPECT_NEAR(in_seconds(end_of(live::simulate_on_hosts(program, {durations, {}}, four))),
              in_seconds(end_of(simulate(program, durations))), 1e-9);
}

// Seven ranks on a host of three cores and one on another: 3, 3 and 1 of them at a time.
TEST(SharedCores, processes_compute_alone_in_turns) {
  const live::Hosts hosts{{0, 0, 1, 0, 0, 0, 0, 0}, {3, 1}};
  EXPECT_EQ(hosts.place(1), 1);
  EXPECT_EQ(hosts.place(2), 0);
  EXPECT_EQ(hosts.place(7), 6);
  EXPECT_EQ(hosts.turns(), 3);
  EXPECT_EQ(hosts.most_ranks(), 7);
  EXPECT_EQ(hosts.at_once(7), 3);
  EXPECT_EQ(hosts.at_once(2), 1);
}

// The seventh computes beside the first two again: what nobody computes beside says nothing of what
// they share.
TEST(SharedCores, as_many_as_there_are_cores_compute_in_every_turn) {
  const live::Hosts hosts{{0, 0, 1, 0, 0, 0, 0, 0}, {3, 1}};
  const std::vector<std::vector<uint32_t>> expected = {{0, 1, 2, 3}, {4, 5, 6}, {0, 1, 7}};
  for (int turn = 0; turn < hosts.turns(); ++turn) {
    std::vector<uint32_t> computing;
    for (uint32_t rank = 0; rank < 8; ++rank)
      if (hosts.computes(rank, turn)) computing.push_back(rank);
    EXPECT_EQ(computing, expected[static_cast<size_t>(turn)]) << "turn " << turn;
  }
}

// Two ops that take 0.8 of the memory each go on at 1 / 1.6 of their rates while both run, and one
// that others leave alone is not held up.
TEST(SharedMemory, ops_that_would_take_too_much_fill_it) {
  const Program program = PipelineJob{.p = 2, .d = 1, .m = 2}.program();
  live::OpTimes times{std::vector<Time>(program.ops.size()),
                      std::vector<double>(program.ops.size())};
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const OpType& type = program.type(op);
    if (type.kind == OpKind::transfer) continue;
    times.alone[op] = milliseconds(8);
    times.memory[op] = 0.8;
  }
  const Timeline apart = live::simulate_on_cores(program, {times.alone, {}}, 2);
  const Timeline shared = live::simulate_on_cores(program, times, 2);
  const Timeline parts = live::simulate_on_partitions(program, times);
  const auto length = [](const Timeline& timeline, OpId op) {
    return in_seconds(timeline.spans[op].end - timeline.spans[op].start);
  };
  const auto meets_another = [&](OpId op) {
    for (OpId other = 0; other < program.ops.size(); ++other)
      if (other != op && times.memory[other] > 0 &&
          apart.spans[other].start < apart.spans[op].end &&
          apart.spans[op].start < apart.spans[other].end)
        return true;
    return false;
  };
  int met = 0;
  for (OpId op = 0; op < program.ops.size(); ++op) {
    if (times.memory[op] == 0) continue;
    met += meets_another(op);
    EXPECT_NEAR(length(shared, op), meets_another(op) ? 8e-3 * 1.6 : 8e-3, 1e-9) << "op " << op;
    EXPECT_EQ(parts.spans[op].end, shared.spans[op].end);
  }
  EXPECT_GT(met, 0);
}

}  // namespace
}  // namespace pipewright::test
