#include "diagnose/summing_passes.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using Kind = RunSliceKind;

RunSlice piece_of(int32_t micro_batch, double begin, double end) {
  return {.kind = Kind::backward,
          .micro_batch = micro_batch,
          .start = seconds(begin),
          .end = seconds(end)};
}

RunSlice collective_of(Kind kind, double begin, double end, int32_t step = 0) {
  return {.kind = kind, .step = step, .start = seconds(begin), .end = seconds(end)};
}

/// Backward passes from 10 s to 14 s and from 14 s to 18 s, and these collectives.
bool hold_passes(const std::vector<RunSlice>& collectives) {
  RunTrace trace{.ranks = {{}}, .slices = {piece_of(0, 10, 14), piece_of(1, 14, 18)}};
  for (const RunSlice& one : collectives) trace.slices.push_back(one);
  return diagnose::sums_hold_passes(trace);
}

TEST(SummingPasses, sums_of_the_last_pass_alone_are_for_the_update) {
  EXPECT_FALSE(hold_passes({}));
  EXPECT_FALSE(
      hold_passes({collective_of(Kind::data_sum, 15, 17), collective_of(Kind::data_sum, 17, 21)}));
}

TEST(SummingPasses, sums_after_each_pass_hold_the_next) {
  EXPECT_TRUE(
      hold_passes({collective_of(Kind::data_sum, 13, 15), collective_of(Kind::data_sum, 17, 21)}));
}

// The second step's sums come after as many passes as those of the first and one more step's.
TEST(SummingPasses, a_sum_in_each_step_holds_none) {
  EXPECT_FALSE(hold_passes(
      {collective_of(Kind::data_sum, 13, 14), collective_of(Kind::data_sum, 17, 21, 1)}));
}

TEST(SummingPasses, weights_gathered_beside_backwards_hold_them) {
  EXPECT_TRUE(hold_passes({collective_of(Kind::data_gather, 12, 13)}));
  EXPECT_FALSE(hold_passes({collective_of(Kind::data_gather, 1, 10)})) << "before them";
}

}  // namespace
}  // namespace pipewright::test
