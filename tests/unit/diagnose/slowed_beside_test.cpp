#include "diagnose/slowed_beside.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

RunSlice piece(uint32_t rank, double length_s) {
  return {.rank = rank, .start = seconds(1), .end = seconds(1 + length_s)};
}

/// Three pieces of 1, 2 and 3 s on two ranks, of which the second is 1.3 times as slow and stands
/// beside more communication. Beside it pieces take longer by `part`.
diagnose::SlowedBeside two_ranks(double part) {
  diagnose::SlowedBeside found;
  const double beside[2][3] = {{0.5, 0, 1}, {0.5, 1, 2}};
  for (const uint32_t rank : {0U, 1U})
    for (int i = 0; i < 3; ++i)
      found.add(piece(rank, (1 + i) * (rank == 1 ? 1.3 : 1) + part * beside[rank][i]),
                seconds(beside[rank][i]));
  return found;
}

TEST(SlowedBeside, the_part_is_told_from_a_slow_rank) {
  for (const double part : {0.0, 0.1, 0.4}) EXPECT_NEAR(two_ranks(part).part(), part, 1e-3);
}

// Pieces of which as many take longer beside more communication as beside less.
TEST(SlowedBeside, noise_tells_nothing) {
  diagnose::SlowedBeside found;
  const double noise[4] = {1.02, 1.02, 0.98, 0.98}, beside[4] = {0.5, 0.1, 0.5, 0.1};
  for (int i = 0; i < 4; ++i) {
    found.add(piece(0, 1), seconds(0.3));
    found.add(piece(1, noise[i]), seconds(beside[i]));
  }
  EXPECT_EQ(found.part(), 0);
}

TEST(SlowedBeside, ranks_that_do_not_differ_tell_nothing) {
  diagnose::SlowedBeside found;
  for (const uint32_t rank : {0U, 1U}) found.add(piece(rank, 1 + rank), seconds(0.5));
  EXPECT_EQ(found.part(), 0);
  EXPECT_EQ(diagnose::SlowedBeside().part(), 0);
}

// The second rank computes beside 2 s of sums in its second pass, which then takes 0.5 s longer.
TEST(SlowedBeside, slices_are_longer_by_what_goes_beside_them) {
  RunTrace trace{.ranks = {{}, {}}, .slices = {}};
  for (const uint32_t rank : {0U, 1U})
    for (int32_t pass = 0; pass < 3; ++pass) {
      const double begin = 10.0 * pass, longer = rank == 1 && pass == 1 ? 0.5 : 0;
      trace.slices.push_back({.rank = rank,
                              .micro_batch = pass,
                              .start = seconds(begin),
                              .end = seconds(begin + 4 + pass + longer)});
    }
  trace.slices.push_back(
      {.kind = RunSliceKind::data_sum, .rank = 1, .start = seconds(11), .end = seconds(13)});
  const diagnose::SlowedCompute slowed =
      diagnose::slowed_compute(trace, diagnose::WeightGathers(trace));
  ASSERT_EQ(slowed.longer.size(), trace.slices.size());
  for (size_t i = 0; i < slowed.longer.size(); ++i)
    EXPECT_NEAR(in_seconds(slowed.longer[i]), i == 4 ? 0.5 : 0, 0.01) << i;
}

}  // namespace
}  // namespace pipewright::test
