#include "program/passes/domino.hpp"

#include <gtest/gtest.h>

#include "support/one_stage.hpp"

namespace pipewright::test {
namespace {

Segment segment(std::vector<Work> kernels, int64_t bytes) {
  return {std::move(kernels), over_tensor(CollectiveKind::all_reduce, bytes)};
}

// In two slices: 1.1 0-5, 1.2 5-10 beside the all-reduce of 1.1, 2.1 10-15 beside that of 1.2,
// 2.2 15-20 beside that of 2.1; that of 2.2 20-24.
TEST(Domino, collectives_hide_behind_the_other_slice) {
  StageWork whole, half;
  whole.forward = {segment({lasting(10)}, 8), segment({lasting(10)}, 8)};
  half.forward = {segment({lasting(5)}, 4), segment({lasting(5)}, 4)};
  EXPECT_EQ(picoseconds_of(whole), 36);
  EXPECT_EQ(picoseconds_of(interleave(whole, half, 2)), 24);
}

// Collectives of 8 after compute of 5: 1.1 0-5, 1.2 5-10; all-reduces 5-13 and 13-21, and again
// after 2.1 13-18 and 2.2 21-26: 21-29 and 29-37.
TEST(Domino, what_is_longer_than_compute_is_in_the_way_of_the_next) {
  StageWork half;
  half.forward = {segment({lasting(5)}, 8), segment({lasting(5)}, 8)};
  EXPECT_EQ(picoseconds_of(interleave({}, half, 2)), 37);
}

// Input gradients 0-5 and 5-10, all-reduces 5-13 and 13-21; weight gradients of the first slice
// 10-13, its norm 13-14; weight gradients of the second 14-17, its norm 21-22.
TEST(Domino, weight_gradients_wait_for_no_collective) {
  StageWork half;
  const Work norm = lasting(1, Direction::input_gradient);
  const Work weights = lasting(3, Direction::weight_gradient);
  half.backward = {segment({lasting(5, Direction::input_gradient)}, 8), {{norm, weights}, {}}};
  EXPECT_EQ(picoseconds_of(interleave({}, half, 2)), 22);
}

TEST(Domino, one_slice_is_no_overlap_but_of_weight_gradients) {
  StageWork whole;
  whole.forward = {segment({lasting(10)}, 8), segment({lasting(10)}, 8)};
  EXPECT_EQ(picoseconds_of(interleave(whole, whole, 1)), picoseconds_of(whole));
}

TEST(Domino, the_micro_batch_keeps_its_size) {
  StageWork whole, half;
  whole.activation = Bytes{7};
  whole.forward_output = Bytes{5};
  half.activation = Bytes{3};
  const StageWork work = interleave(whole, half, 2);
  EXPECT_EQ(work.activation, Bytes{7});
  EXPECT_EQ(work.forward_output, Bytes{5});
}

}  // namespace
}  // namespace pipewright::test
