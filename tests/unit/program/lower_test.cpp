#include "program/lower.hpp"

#include <gtest/gtest.h>

#include <set>

#include "program/names.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

Schedule two_by_two(const char* name) {
  return schedule::build({.ranks = 2, .micro_batches = 2}, config::scalar(name));
}

/// F 10, B 20, hop 1 (picoseconds).
Times times() {
  Times times;
  times.forward = picoseconds(10);
  times.backward = picoseconds(20);
  times.hop = picoseconds(1);
  return times;
}

std::set<std::string> names_of_sends(const char* schedule) {
  const Program program = run_schedule(two_by_two(schedule), times()).program;
  std::set<std::string> names;
  for (OpId op = 0; op < program.ops.size(); ++op)
    if (program.type(op).kind == OpKind::transfer) names.insert(name(program, op));
  return names;
}

TEST(Lowering, a_message_is_named_after_the_pass_that_makes_it) {
  EXPECT_EQ(names_of_sends("1f1b"),
            (std::set<std::string>{"send 0F0 to rank 1", "send 0F1 to rank 1", "send 1B0 to rank 0",
                                   "send 1B1 to rank 0"}));
  EXPECT_EQ(names_of_sends("zb-h1"),
            (std::set<std::string>{"send 0F0 to rank 1", "send 0F1 to rank 1", "send 1I0 to rank 0",
                                   "send 1I1 to rank 0"}));
}

// Rank 0: F0 0-10, F1 10-20.  Rank 1: F0 11-21, F1 21-31, B0 31-51, B1 51-71.
// Rank 0: B0 52-72, B1 72-92.
TEST(SendMode, async_transfers_hold_nobody) {
  EXPECT_EQ(run_schedule(two_by_two("gpipe"), times()).makespan().ps, 92);
}

// Rank 0: F0 0-10, send 10-11, F1 11-21, send 21-22.
// Rank 1: F0 11-21, F1 22-32, B0 32-52, send 52-53, B1 53-73, send 73-74.
// Rank 0: B0 53-73, B1 74-94.
TEST(SendMode, a_sender_is_held_for_the_length_of_its_transfer) {
  EXPECT_EQ(run_schedule(two_by_two("gpipe"), times(), SendMode::sender).makespan().ps, 94);
}

// Rank 0: F0 0-10, both 10-11, F1 11-21.  Rank 1: F0 11-21; both 21-22; F1 22-32, B0 32-52;
// both 52-53; rank 0: B0 53-73, rank 1: B1 53-73; both 73-74; rank 0: B1 74-94.
TEST(SendMode, rendezvous_holds_both_sides) {
  EXPECT_EQ(run_schedule(two_by_two("gpipe"), times(), SendMode::rendezvous).makespan().ps, 94);
}

// Rank 0: F0 0-10, both 10-11, F1 11-21.  Rank 1: F0 11-21, B0 21-41.
// F1 goes and the gradient of 0 comes in one exchange 41-42.
// Rank 0: B0 42-62.  Rank 1: F1 42-52, B1 52-72; both 72-73; rank 0: B1 73-93.
TEST(SendMode, rendezvous_fuses_send_forward_with_receive_backward) {
  EXPECT_EQ(run_schedule(two_by_two("1f1b"), times(), SendMode::rendezvous).makespan().ps, 93);
}

TEST(SendMode, an_ample_buffer_is_as_good_as_async) {
  EXPECT_EQ(run_schedule(two_by_two("gpipe"), times(), SendMode::buffered, 1 * GiB).makespan().ps,
            92);
}

/// The lowering of `schedule` with messages of one byte.
Simulated run_with_buffer(const Schedule& schedule, Bytes buffer) {
  std::vector<StageWork> stages = stages_of(schedule, times());
  for (StageWork& stage : stages) stage.forward_output = stage.backward_output = Bytes{1};
  Simulated run;
  run.program = lower({.schedule = schedule,
                       .stages = stages,
                       .send_mode = SendMode::buffered,
                       .send_buffer = buffer,
                       .grid = grid_of(schedule.ranks())});
  run.durations = fixed_durations(run.program, times().hop);
  run.timeline = simulate(run.program, run.durations);
  return run;
}

// GPipe, one byte of buffer: F1 may leave rank 0 only when rank 1 has taken F0, at 11.
// Rank 1 is slower than rank 0 here, so nothing changes; with three micro-batches rank 0 hands over
// F2 once F1 is taken at 21 instead of at 30: no change either. The order is what counts:
TEST(SendMode, a_buffer_of_one_message_lets_one_wait) {
  const Schedule schedule =
      schedule::build({.ranks = 2, .micro_batches = 4}, config::scalar("gpipe"));
  EXPECT_EQ(run_with_buffer(schedule, Bytes{1}).makespan(),
            run_schedule(schedule, times()).makespan());
}

// Without room for one message both ranks of 1F1B send at each other: F1 to rank 1 and the gradient
// of 0 to rank 0.
TEST(SendMode, without_a_buffer_unfused_1f1b_deadlocks_and_says_how) {
  try {
    run_with_buffer(two_by_two("1f1b"), Bytes{0});
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(),
                 "deadlock: rank 0's send 0F1 to rank 1 waits for rank 1's send 1B0 to rank 0 "
                 "waits for rank 0's send 0F1 to rank 1");
  }
}

TEST(Lower, a_folded_program_stands_for_all_replicas) {
  const Schedule schedule = two_by_two("1f1b");
  LoweringInput input{
      .schedule = schedule, .stages = stages_of(schedule, times()), .grid = grid_of(2, 2, 3)};
  const Program unfolded = lower(input);
  input.fold_tensor = true;
  input.replicas.assign(2, std::vector<ReplicaClass>{ReplicaClass{0, 3}});
  const Program folded = lower(input);
  EXPECT_EQ(unfolded.ranks.size(), 12u);
  EXPECT_EQ(folded.ranks.size(), 2u);
  EXPECT_EQ(folded.ranks[0].multiplicity, 6);
  EXPECT_EQ(unfolded.ops.size(), 6 * folded.ops.size());
}

// Two tensor ranks, one all-reduce after each forward: it waits for both and both wait for it.
TEST(Lower, a_tensor_collective_occupies_a_lane_of_each_member) {
  const Schedule schedule =
      schedule::build({.ranks = 1, .micro_batches = 1}, config::scalar("gpipe"));
  std::vector<StageWork> stages = stages_of(schedule, times());
  stages[0].forward[0].collective = CollectiveWork{CollectiveKind::all_reduce, Axis::tensor, MiB};
  const Program program = lower({.schedule = schedule, .stages = stages, .grid = grid_of(1, 2)});
  std::vector<Time> durations = fixed_durations(program, times().hop);
  // The second rank is 5 slower in its first op.
  durations[program.order(3)[0]] += picoseconds(5);
  const Timeline timeline = simulate(program, durations);
  Time end;
  for (const Span& span : timeline.spans) end = std::max(end, span.end);
  EXPECT_EQ(end.ps, 10 + 5 + 1 + 20);
}

}  // namespace
}  // namespace pipewright::test
