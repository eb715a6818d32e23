#include "diagnose/run_collectives.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/run_slices.hpp"

namespace pipewright::test {
namespace {

using diagnose::RunCollectives;

RunSlice sum(uint32_t rank, int64_t start, int64_t end) {
  return run_slice(RunSliceKind::data_sum, rank, 0, 0, start, end);
}

// Two ranks sum three buckets. The passes of rank 0 end at 30 ms and hide the first, those of rank
// 1 end at 45 ms and hide two.
TEST(RunCollectives, as_many_as_the_member_that_hides_most_shows) {
  const std::vector<RunSlice> slices = {sum(0, 10, 20), sum(0, 20, 40), sum(0, 40, 60),
                                        sum(1, 10, 20), sum(1, 20, 40), sum(1, 40, 60)};
  RunCollectives collectives;
  for (const RunSlice& slice : slices)
    collectives.add(slice, {OperationKind::grads_reduce_scatter, -1, 0},
                    {Time{}, milliseconds(slice.rank == 0 ? 30 : 45)});
  const auto shown = collectives.shown();
  ASSERT_EQ(shown.size(), 2u);
  for (const RunCollectives::Shown& one : shown) EXPECT_EQ(one.slice->start, milliseconds(40));
  EXPECT_EQ(shown[0].sequence, shown[1].sequence);
}

TEST(RunCollectives, what_stands_before_the_passes_is_shown) {
  const std::vector<RunSlice> slices = {sum(0, 0, 5), sum(0, 12, 30)};
  RunCollectives collectives;
  for (const RunSlice& slice : slices)
    collectives.add(slice, {OperationKind::params_all_gather, -1, 0},
                    {milliseconds(10), milliseconds(20)});
  const auto shown = collectives.shown();
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_LT(std::min(shown[0].sequence, shown[1].sequence),
            std::max(shown[0].sequence, shown[1].sequence));
}

}  // namespace
}  // namespace pipewright::test
