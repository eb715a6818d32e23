#include "diagnose/run_iterations.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

diagnose::PassSpan pass_at(int32_t micro_batch, int64_t start) {
  return {.pass = {.micro_batch = micro_batch},
          .start = milliseconds(start),
          .end = milliseconds(start + 1)};
}

RunSlice update(uint32_t rank, int32_t step, int64_t end) {
  return {.kind = RunSliceKind::update,
          .rank = rank,
          .step = step,
          .start = milliseconds(end - 1),
          .end = milliseconds(end)};
}

TEST(RunIterations, are_steps_where_all_ranks_do_the_same_between_updates) {
  const RunTrace trace{.ranks = {{}, {}}, .slices = {update(0, 0, 5), update(1, 0, 6)}};
  const diagnose::RunIterations found(
      trace, {{pass_at(0, 1), pass_at(1, 5)}, {pass_at(0, 2), pass_at(1, 6)}});
  EXPECT_TRUE(found.numbers().empty());
  EXPECT_EQ(found.step_at(0, milliseconds(4)), 0);
  EXPECT_EQ(found.step_at(0, milliseconds(5)), 1);
  EXPECT_EQ(found.iteration_of(1), 0);
  EXPECT_EQ(found.note(), "");
}

// The second rank begins micro-batch 2 before it has updated with the first two.
TEST(RunIterations, run_into_each_other_where_they_do_not) {
  const RunTrace trace{
      .ranks = {{}, {}},
      .slices = {update(0, 0, 5), update(0, 1, 9), update(1, 0, 9), update(1, 1, 13)}};
  const diagnose::RunIterations found(
      trace, {{pass_at(0, 1), pass_at(1, 2), pass_at(2, 6), pass_at(3, 7)},
              {pass_at(0, 2), pass_at(1, 3), pass_at(2, 7), pass_at(3, 10)}});
  EXPECT_EQ(found.numbers(), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(found.step_at(0, milliseconds(8)), 0);
  EXPECT_EQ(found.iteration_of(1), 0);
  EXPECT_EQ(found.iteration_of(2), 1);
  EXPECT_EQ(found.iteration_of(update(0, 7, 9)), 1);
  EXPECT_EQ(found.note(),
            "2 iterations run into each other: a step is the time from the end of one to the end "
            "of the next, and a rank updates its weights every 4 ms");
}

/// One update that ends at 5 ms, and sums of two micro-batches, as of ZeRO 2. Returns the step of
/// a sum that starts at `start` ms on a rank with these passes.
int32_t step_of_sum(int64_t start, std::vector<diagnose::PassSpan> passes) {
  const RunSlice sum{.kind = RunSliceKind::data_sum, .step = 1, .start = milliseconds(start)};
  const RunTrace trace{.ranks = {{}}, .slices = {update(0, 0, 5), sum}};
  return diagnose::RunIterations(trace, {std::move(passes)}).step_of(sum);
}

TEST(RunIterations, sums_that_count_micro_batches_are_of_their_time) {
  EXPECT_EQ(step_of_sum(4, {pass_at(0, 1), pass_at(1, 3), pass_at(0, 7)}), 0);
  EXPECT_EQ(step_of_sum(6, {pass_at(0, 1), pass_at(1, 3), pass_at(0, 7)}), 1);
}

// Weights are gathered behind the update, too: a trace of one step ends with that.
TEST(RunIterations, what_follows_the_last_pass_is_of_its_step) {
  EXPECT_EQ(step_of_sum(5, {pass_at(0, 1), pass_at(1, 3)}), 0);
}

TEST(RunIterations, of_unequal_size_are_one_step) {
  const RunTrace trace{
      .ranks = {{}, {}},
      .slices = {update(0, 0, 5), update(0, 1, 9), update(1, 0, 9), update(1, 1, 13)}};
  const diagnose::RunIterations found(trace, {{pass_at(0, 1), pass_at(1, 2), pass_at(2, 6)},
                                              {pass_at(0, 2), pass_at(1, 3), pass_at(2, 7)}});
  EXPECT_TRUE(found.numbers().empty());
  EXPECT_NE(found.note().find("are one step here"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
