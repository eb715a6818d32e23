#include "program/passes/domino.hpp"

#include <gtest/gtest.h>

#include "program/passes/chunked.hpp"
#include "support/one_stage.hpp"

namespace pipewright::test {
namespace {

Segment segment(std::vector<Work> kernels, int64_t bytes) {
  return {std::move(kernels), over_tensor(CollectiveKind::all_reduce, bytes)};
}

/// X[rows, 4] W[4, columns] in 32 bits.
Work product(int64_t rows, int64_t columns, Direction direction = Direction::forward) {
  return {.kernel = Kernel::gemm,
          .direction = direction,
          .flops = 2 * 4 * static_cast<double>(rows * columns),
          .read = Bytes{4 * (rows * 4 + 4 * columns)},
          .written = Bytes{4 * rows * columns},
          .shape = {1, rows, columns, 4}};
}

/// A product takes a picosecond a number that it makes.
Prices prices_by_size() {
  return prices_by({.compute =
                        [](const Work& work, int32_t) {
                          return work.kernel == Kernel::gemm
                                     ? picoseconds(work.shape[1] * work.shape[2])
                                     : work.fixed;
                        },
                    .collective = picosecond_a_byte});
}

StageWork in_two_columns(const StageWork& whole) {
  return interleave(whole, whole, {.slices = 1, .columns = 2});
}

// In two slices: 1.1 0-5, 1.2 5-10 beside the all-reduce of 1.1, 2.1 10-15 beside that of 1.2,
// 2.2 15-20 beside that of 2.1; that of 2.2 20-24.
TEST(Domino, collectives_hide_behind_the_other_slice) {
  StageWork whole, half;
  whole.forward = {segment({lasting(10)}, 8), segment({lasting(10)}, 8)};
  half.forward = {segment({lasting(5)}, 4), segment({lasting(5)}, 4)};
  EXPECT_EQ(picoseconds_of(whole), 36);
  EXPECT_EQ(picoseconds_of(interleave(whole, half, {.slices = 2})), 24);
}

// Collectives of 8 after compute of 5: 1.1 0-5, 1.2 5-10; all-reduces 5-13 and 13-21, and again
// after 2.1 13-18 and 2.2 21-26: 21-29 and 29-37.
TEST(Domino, what_is_longer_than_compute_is_in_the_way_of_the_next) {
  StageWork half;
  half.forward = {segment({lasting(5)}, 8), segment({lasting(5)}, 8)};
  EXPECT_EQ(picoseconds_of(interleave({}, half, {.slices = 2})), 37);
}

// Input gradients 0-5 and 5-10, all-reduces 5-13 and 13-21; weight gradients of the first slice
// 10-13, its norm 13-14; weight gradients of the second 14-17, its norm 21-22.
TEST(Domino, weight_gradients_wait_for_no_collective) {
  StageWork half;
  const Work norm = lasting(1, Direction::input_gradient);
  const Work weights = lasting(3, Direction::weight_gradient);
  half.backward = {segment({lasting(5, Direction::input_gradient)}, 8), {{norm, weights}, {}}};
  EXPECT_EQ(picoseconds_of(interleave({}, half, {.slices = 2})), 22);
}

TEST(Domino, one_slice_is_no_overlap_but_of_weight_gradients) {
  StageWork whole;
  whole.forward = {segment({lasting(10)}, 8), segment({lasting(10)}, 8)};
  EXPECT_EQ(picoseconds_of(interleave(whole, whole, {.slices = 1})), picoseconds_of(whole));
}

TEST(Domino, the_micro_batch_keeps_its_size) {
  StageWork whole, half;
  whole.activation = Bytes{7};
  whole.forward_output = Bytes{5};
  half.activation = Bytes{3};
  const StageWork work = interleave(whole, half, {.slices = 2});
  EXPECT_EQ(work.activation, Bytes{7});
  EXPECT_EQ(work.forward_output, Bytes{5});
}

/// Two sublayers, each a product of 8 columns, summed: 6 bytes.
Segments two_products(int64_t bytes = 6) {
  return {segment({product(1, 8)}, bytes), segment({product(1, 8)}, bytes)};
}

// Columns 0-4 and 4-8, their all-reduces 4-7 and 8-11; only then the second product: 11-15 and
// 15-19, all-reduces 15-18 and 19-22. Whole: twice 8 + 6.
TEST(Domino, columns_hide_a_collective_behind_the_rest_of_its_product) {
  StageWork whole;
  whole.forward = two_products();
  EXPECT_EQ(picoseconds_of(whole, prices_by_size()), 28);
  EXPECT_EQ(picoseconds_of(in_two_columns(whole), prices_by_size()), 22);
}

// Two slices of the same, products of 4 and all-reduces of 3: the second product of slice 1 starts
// at 8, when its first sum is there: 8-12, 12-16, the last all-reduce 16-19.
TEST(Domino, rows_hide_it_behind_the_next_layer_as_well) {
  StageWork half;
  half.forward = {segment({product(1, 4)}, 3), segment({product(1, 4)}, 3)};
  EXPECT_EQ(picoseconds_of(interleave({}, half, {.slices = 2}), prices_by_size()), 19);
}

// A layer ends before the second product: it waits for the all-reduce of slice 2, 8-11, and slice 2
// for nothing but its turn: 11-15, 15-19, the last all-reduce 19-22.
TEST(Domino, slices_meet_where_a_layer_ends) {
  StageWork half;
  half.forward = {segment({product(1, 4)}, 3), segment({product(1, 4)}, 3)};
  half.forward.back().joins = true;
  EXPECT_EQ(picoseconds_of(interleave({}, half, {.slices = 2}), prices_by_size()), 22);
}

// The norm that ends the layer of slice 1, 8-9, needs no sum of slice 2, whose own is 11-12; then
// the next layer: 12-16, 16-20, the last all-reduce 20-23.
TEST(Domino, what_ends_a_layer_is_before_they_meet) {
  StageWork half;
  half.forward = {segment({product(1, 4)}, 3), {{lasting(1)}, {}}, segment({product(1, 4)}, 3)};
  half.forward.back().joins = true;
  EXPECT_EQ(picoseconds_of(interleave({}, half, {.slices = 2}), prices_by_size()), 23);
}

// Four pieces of 2 with sums of 2 bytes each: 0-8, all-reduces one behind, 2-10; then the same
// again: 10-18, 12-20. In two columns of the whole, pieces of 4 and sums of 4: twice 12.
TEST(Domino, two_dimensions_hide_more_than_columns_alone) {
  StageWork whole, half;
  whole.forward = two_products(8);
  half.forward = {segment({product(1, 4)}, 4), segment({product(1, 4)}, 4)};
  const DominoCut both{.slices = 2, .columns = 2};
  EXPECT_EQ(picoseconds_of(in_two_columns(whole), prices_by_size()), 24);
  EXPECT_EQ(picoseconds_of(interleave({}, half, both), prices_by_size()), 20);
}

// Backward: gradients of inputs in columns 0-4 and 4-8, all-reduces 4-7 and 8-11; gradients of
// weights 8-13 wait for neither, the norm 13-14. Two slices of it: gradients of inputs 0-8 in four
// pieces, all-reduces of 2, 1, 2 and 1: 2-4, 4-5, 6-8 and 8-9; gradients of weights of slice 1
// 8-11, its norm 11-12, of slice 2 12-15, 15-16.
TEST(Domino, weight_gradients_hide_the_sums_of_columns) {
  const Work norm = lasting(1, Direction::input_gradient);
  const auto backward = [&](int64_t columns, int64_t bytes, int64_t weights) {
    StageWork work;
    work.backward = {segment({product(1, columns, Direction::input_gradient)}, bytes),
                     {{norm, lasting(weights, Direction::weight_gradient)}, {}}};
    return work;
  };
  EXPECT_EQ(picoseconds_of(in_two_columns(backward(8, 6, 5)), prices_by_size()), 14);
  EXPECT_EQ(picoseconds_of(interleave({}, backward(4, 3, 3), {.slices = 2, .columns = 2}),
                           prices_by_size()),
            16);
}

// X[3, 4] W[4, 5] in 32 bits: 48 bytes of X, which both read, 80 of W, 60 of Y; 3 columns and 2.
TEST(Domino, a_column_piece_reads_its_weights_and_all_of_the_input) {
  StageWork whole;
  whole.forward = {segment({product(3, 5)}, 61)};
  const Segments pieces = in_two_columns(whole).forward;
  ASSERT_EQ(pieces.size(), 2u);
  const Work& wide = pieces[0].kernels.front();
  const Work& narrow = pieces[1].kernels.front();
  EXPECT_EQ(wide.shape[2], 3);
  EXPECT_EQ(narrow.shape[2], 2);
  EXPECT_EQ(wide.read + narrow.read, Bytes{2 * 48 + 80});
  EXPECT_EQ(wide.written + narrow.written, Bytes{60});
  EXPECT_DOUBLE_EQ(wide.flops, 2 * 3 * 3 * 4);
  EXPECT_DOUBLE_EQ(narrow.flops, 2 * 3 * 2 * 4);
  EXPECT_EQ(pieces[0].collective->bytes, Bytes{31});
  EXPECT_EQ(pieces[1].collective->bytes, Bytes{30});
}

TEST(Domino, only_what_a_product_has_made_comes_in_columns) {
  const Segment gathered{{product(1, 8)}, over_tensor(CollectiveKind::all_gather, 8)};
  Segment experts = segment({product(1, 8)}, 8);
  experts.collective->axis = Axis::expert;
  EXPECT_TRUE(has_columns({segment({product(1, 8)}, 8)}, 8));
  EXPECT_FALSE(has_columns({segment({product(1, 8)}, 9)}, 9)) << "narrower than that";
  for (const Segment& whole : {gathered, experts, segment({lasting(3)}, 8), Segment{}}) {
    EXPECT_FALSE(has_columns({whole}, 2));
    EXPECT_EQ(in_columns({whole}, 2).size(), 1u);
  }
}

}  // namespace
}  // namespace pipewright::test
