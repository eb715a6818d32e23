#include "diagnose/exposed_reductions.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using enum OperationKind;

std::vector<TracedOperation> sums_of(const std::vector<TracedOperation>& all) {
  std::vector<TracedOperation> sums;
  std::ranges::copy_if(all, std::back_inserter(sums),
                       [](const TracedOperation& one) { return one.kind == grads_reduce_scatter; });
  return sums;
}

// A backward pass until 4 s. The first bucket ends within it, the second sticks out by 1 s.
TEST(ExposedReductions, what_sticks_out_of_the_last_pass_is_left) {
  std::vector<TracedOperation> all = {
      operation(forward, 0, 0, 0, 1), operation(backward, 0, 0, 1, 3),
      operation(grads_reduce_scatter, 0, -1, 2, 1), operation(grads_reduce_scatter, 0, -1, 3, 2)};
  diagnose::leave_exposed(all);
  const std::vector<TracedOperation> sums = sums_of(all);
  ASSERT_EQ(sums.size(), 1u);
  EXPECT_EQ(sums[0].start, seconds(4));
  EXPECT_EQ(sums[0].duration, seconds(1));
}

// Data rank 1 computes until 6 s, so it hides the first bucket, in which rank 0 waits for it.
TEST(ExposedReductions, what_one_rank_hides_is_hidden_for_all) {
  std::vector<TracedOperation> all = {operation(backward, 0, 0, 0, 3, 0),
                                      operation(backward, 0, 0, 0, 6, 1),
                                      operation(grads_reduce_scatter, 0, -1, 2, 3, 0),
                                      operation(grads_reduce_scatter, 0, -1, 4, 1, 1),
                                      operation(grads_reduce_scatter, 0, -1, 5, 2, 0),
                                      operation(grads_reduce_scatter, 0, -1, 6, 1, 1)};
  diagnose::leave_exposed(all);
  const std::vector<TracedOperation> sums = sums_of(all);
  ASSERT_EQ(sums.size(), 2u);
  for (const TracedOperation& one : sums) EXPECT_EQ(one.end(), seconds(7));
}

}  // namespace
}  // namespace pipewright::test
