#include "workload/transformer/boxes.hpp"

#include <gtest/gtest.h>

namespace pipewright::transformer::boxes {
namespace {

constexpr TensorGrid grid{TensorKind::signatures, {4, 1, 1}};
constexpr Signatures columns{Signature::column, Signature::batch, Signature::batch};
constexpr Signatures rows{Signature::row, Signature::batch, Signature::batch};
constexpr Spreads whole{Spread::whole, Spread::batch, Spread::batch};
constexpr double bytes = 1024;

double sent(const Segments& steps) {
  double sum = 0;
  for (const Segment& step : steps)
    if (step.collective) sum += static_cast<double>(step.collective->bytes.count);
  return sum;
}

// arXiv 1909.08053: entering a region sums gradients, leaving it sums what was computed.
TEST(Boxes, columns_and_rows_are_the_conjugate_pair_of_tensor_parallelism) {
  const Boxes boxes(grid, bytes);
  const Operation in = boxes.into(columns, whole, 8, Part::mlp);
  EXPECT_TRUE(in.forward_steps.empty());
  EXPECT_EQ(in.input_gradient_steps.size(), 1u);
  EXPECT_DOUBLE_EQ(sent(in.input_gradient_steps), 8 * bytes);
  EXPECT_EQ(in.saved, 0);
  const Operation out = boxes.out_of(rows, whole, 8, Part::mlp);
  EXPECT_EQ(out.forward_steps.size(), 1u);
  EXPECT_DOUBLE_EQ(sent(out.forward_steps), 8 * bytes);
  EXPECT_TRUE(out.input_gradient_steps.empty());
}

// What is gathered is whole on each of the four.
TEST(Boxes, what_arrives_is_kept) {
  const Spreads samples{Spread::batch, Spread::batch, Spread::batch};
  const Operation in = Boxes(grid, bytes).into(columns, samples, 8, Part::mlp);
  EXPECT_EQ(in.forward_steps.size(), 1u);
  EXPECT_DOUBLE_EQ(in.saved, 8 * bytes);
}

}  // namespace
}  // namespace pipewright::transformer::boxes
