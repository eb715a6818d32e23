// BPipe as a program: activations that wait in another rank's memory.
#include <gtest/gtest.h>

#include "result/result.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

struct Case {
  int p, m;
  int64_t forward = 2, backward = 3, move = 0, hop = 0;
  int iterations = 1;
};

/// An activation is one byte.
Metrics run_bpipe(const Case& c) {
  const Schedule schedule = schedule::build(
      {.ranks = c.p, .micro_batches = c.m, .iterations = c.iterations}, config::scalar("bpipe"));
  Times times;
  times.forward = Time{c.forward};
  times.backward = Time{c.backward};
  std::vector<StageWork> stages = stages_of(schedule, times);
  for (StageWork& stage : stages) stage.activation = Bytes{1};
  const Program program = lower({.schedule = schedule, .stages = stages, .grid = grid_of(c.p)});
  std::vector<Time> durations = fixed_durations(program, Time{c.hop});
  for (OpId op = 0; op < program.ops.size(); ++op)
    if (program.type(op).moves_activation) durations[op] = Time{c.move};
  return measure(program, simulate(program, durations), schedule, {});
}

template <class F>
void for_each_shape(F&& visit) {
  for (int p = 1; p <= 9; ++p)
    for (const int m : {1, 2, p, p + 1, 2 * p, 3 * p + 1}) visit(p, m);
}

// The bound of the paper, ceil((p + 2) / 2), and an early rank that has more in flight reaches it.
TEST(BPipe, memory_is_bounded_however_long_a_move_takes) {
  for_each_shape([](int p, int m) {
    const int64_t bound = (p + 3) / 2;
    for (const int64_t move : {0, 1, 4, 60}) {
      for (const int iterations : {1, 2}) {
        const Metrics metrics = run_bpipe({.p = p, .m = m, .move = move, .iterations = iterations});
        for (int i = 0; i < p; ++i) {
          SCOPED_TRACE(testing::Message() << p << " " << m << " " << move << " rank " << i);
          const int64_t held = metrics.ranks[i].memory.activations.count;
          EXPECT_LE(held, bound);
          if (i < p / 2) {
            EXPECT_EQ(held, std::min<int64_t>({m, p - i, bound}));
          }
          EXPECT_EQ(metrics.ranks[i].peak_in_flight, std::min(m, p - i));
        }
      }
    }
  });
}

// An activation has the length of a backward to leave and that of a forward to come back in.
TEST(BPipe, moves_no_longer_than_a_pass_cost_no_time) {
  for_each_shape([](int p, int m) {
    for (const auto& [f, b] : {std::pair{2, 3}, std::pair{5, 5}, std::pair{7, 4}}) {
      const Case c{.p = p, .m = m, .forward = f, .backward = b, .move = std::min(f, b)};
      EXPECT_EQ(run_bpipe(c).makespan.ps, (m + p - 1) * (f + b)) << p << " " << m;
    }
  });
}

// p = 4, m = 4, F = B = 1, a move 10. Rank 0 has room for three: F0 F1 F2 to 3, activation 2 leaves
// to 13, F3 to 14, B0 to 15; activation 2 is back at 25, B2 ends at 26 and B3, long arrived, at 27.
TEST(BPipe, a_slow_move_holds_the_next_forward_and_its_own_backward_up) {
  EXPECT_EQ(run_bpipe({.p = 4, .m = 4, .forward = 1, .backward = 1, .move = 10}).makespan.ps, 27);
}

// With 8 ranks there is room for 5. Ranks 0, 1 and 2 have 8, 7 and 6 in flight: micro-batches 4 to
// m - 2 leave each of them before the forward that follows theirs, and come back: m - 5, twice.
TEST(BPipe, every_activation_that_waits_elsewhere_travels_twice) {
  EXPECT_DOUBLE_EQ(run_bpipe({.p = 8, .m = 20}).communication[0].bytes, 2 * 3 * (20 - 5));
}

}  // namespace
}  // namespace pipewright::test
