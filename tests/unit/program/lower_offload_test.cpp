// Copies to and from the host, in time: one stage of two layers, F 10 and B 20 each, in
// picoseconds.
#include <gtest/gtest.h>

#include "program/lower.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

Segments two_layers(int64_t each, bool backward) {
  const Segment first{.kernels = {Work{.fixed = picoseconds(each)}}, .part = backward ? 1 : 0};
  Segment second = first;
  second.part = 1 - first.part;
  return {first, second};
}

/// The program of `micro_batches` under gpipe, on one device.
Program program_of(int micro_batches, const OffloadedState::Stage& offloaded) {
  const Schedule schedule =
      schedule::build({.ranks = 1, .micro_batches = micro_batches}, config::scalar("gpipe"));
  const StageWork stage{
      .forward = two_layers(10, false), .backward = two_layers(20, true), .activation = Bytes{16}};
  OffloadedState state;
  state.stages = {offloaded};
  return lower({.schedule = schedule, .stages = {stage}, .offloaded = state, .grid = grid_of(1)});
}

std::vector<Time> durations_of(const Program& program, int64_t copy) {
  std::vector<Time> durations = fixed_durations(program, {});
  for (OpId op = 0; op < program.ops.size(); ++op)
    if (program.type(op).kind == OpKind::copy) durations[op] = picoseconds(copy);
  return durations;
}

int64_t end_of(const Program& program, int64_t copy) {
  const Timeline timeline = simulate(program, durations_of(program, copy));
  Time end;
  for (const Span& span : timeline.spans) end = std::max(end, span.end);
  return end.ps;
}

int copies(const Program& program, bool to_host) {
  int count = 0;
  for (const Op& op : program.ops) {
    const OpType& type = program.types[op.type];
    count += type.kind == OpKind::copy && type.to_host == to_host;
  }
  return count;
}

const OffloadedState::Stage activations{.weights = {}, .activations = {Bytes{8}, Bytes{8}}};

// 2 (10 + 10 + 20 + 20) of compute; nothing is waited for, as every layer's activations are back
// before the layer after it has computed.
TEST(Offload, short_copies_of_activations_hide_behind_compute) {
  EXPECT_EQ(end_of(program_of(2, activations), 4), 120);
}

// Copies of 15. Forwards: 0-10, 10-20; the third waits for the first to have left (10-25), 25-35,
// the fourth for the second (25-40), 40-50; theirs leave 40-55 and 55-70. Backward the layer that
// ran last but three comes back 40-55, once the third has computed and it has left itself, and
// computes 55-75; the next comes 55-70, computes 75-95. The second micro-batch's second layer comes
// back once that of the first has computed: 75-90, computes 95-115; its first 95-110, 115-135.
TEST(Offload, long_copies_of_activations_are_waited_for) {
  EXPECT_EQ(end_of(program_of(2, activations), 15), 135);
}

// One micro-batch: its second layer's forward turns into its backward, so only the first's leave.
TEST(Offload, activations_that_are_needed_next_stay) {
  const Program program = program_of(1, activations);
  EXPECT_EQ(copies(program, true), 1);
  EXPECT_EQ(copies(program, false), 1);
  const Program two = program_of(2, activations);
  EXPECT_EQ(copies(two, true), 4);
  EXPECT_EQ(copies(two, false), 4);
}

// One micro-batch, fetches of 12, one layer ahead: 0-12, 12-24 at the beginning; forwards 12-22 and
// 24-34. The second layer stays for its backward, 34-54. The first is fetched again once that
// forward has computed, 34-46, and computes 54-74.
TEST(Offload, weights_come_before_each_layer) {
  const Program program = program_of(1, {.weights = {Bytes{8}, Bytes{8}}, .activations = {}});
  EXPECT_EQ(copies(program, false), 3);
  EXPECT_EQ(copies(program, true), 0);
  EXPECT_EQ(end_of(program, 12), 74);
}

}  // namespace
}  // namespace pipewright::test
