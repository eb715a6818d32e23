#include "program/passes/paired.hpp"

#include <gtest/gtest.h>

#include "plan/segments_time.hpp"
#include "schedule/pairing.hpp"
#include "support/one_stage.hpp"

namespace pipewright::test {
namespace {

Segment segment(std::vector<Work> kernels, int64_t bytes) {
  return {std::move(kernels), over_tensor(CollectiveKind::all_to_all, bytes)};
}

/// Two segments a pass, with an exchange of 8 between them.
StageWork exchanging() {
  StageWork work;
  work.forward = {segment({lasting(10)}, 8), {.kernels = {lasting(10)}}};
  work.backward = {segment({lasting(5, Direction::weight_gradient), lasting(10)}, 8),
                   {.kernels = {lasting(10)}}};
  return work;
}

int64_t two_micro_batches(const StageWork& work, bool beside) {
  Schedule schedule = schedule::build({.ranks = 1, .micro_batches = 2}, config::scalar("1f1b"));
  schedule::pair_passes(schedule, {});
  const Program program = lower({.schedule = schedule,
                                 .stages = {work},
                                 .pairs_beside = beside,
                                 .grid = grid_of(1, 2),
                                 .fold_tensor = true});
  const Timeline timeline = simulate(program, price(program, simple_prices()));
  Time end;
  for (const Span& span : timeline.spans) end = std::max(end, span.end);
  return end.ps;
}

TEST(Paired, weight_gradients_come_after_what_is_sent) {
  const StageWork work = with_weight_gradients_last(exchanging());
  ASSERT_EQ(work.backward.size(), 3u);
  EXPECT_EQ(work.backward[0].kernels.size(), 1u);
  EXPECT_TRUE(work.backward[0].collective);
  EXPECT_EQ(work.backward[1].kernels.front().direction, Direction::weight_gradient);
  EXPECT_FALSE(work.backward[1].collective);
  EXPECT_NE(work.backward[1].chain, work.backward[0].chain);
}

// F0 and F1 take 28 each, B0 and B1 33.
TEST(Paired, one_by_one_exchanges_are_waited_for) {
  EXPECT_EQ(two_micro_batches(exchanging(), false), 2 * 28 + 2 * 33);
}

// F0 0-28. F1 28-38, its exchange 38-46 beside B0 38-48, whose exchange 48-56 runs beside its
// weight gradients 48-53 and the rest of F1 53-63; the rest of B0 63-73. B1 73-83, its exchange
// 83-91 beside its weight gradients 83-88, the rest 91-101.
TEST(Paired, exchanges_hide_behind_the_other_pass) {
  EXPECT_EQ(two_micro_batches(with_weight_gradients_last(exchanging()), true), 101);
}

// From 28 to 73 in the run above.
TEST(Paired, side_by_side_passes_take_what_their_run_takes) {
  const StageWork work = with_weight_gradients_last(exchanging());
  const Segments both = side_by_side(work.forward, work.backward);
  ASSERT_EQ(both.size(), work.forward.size() + work.backward.size());
  const Mesh mesh = grid_of(1, 2).mesh(0);
  EXPECT_EQ(segments_time(both, simple_prices(), mesh).ps, 73 - 28);
  EXPECT_EQ(segments_time(work.forward, simple_prices(), mesh).ps, 28);
}

}  // namespace
}  // namespace pipewright::test
