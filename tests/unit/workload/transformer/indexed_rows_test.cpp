// Rows of experts that PyTorch's operators move: transformers, integrations/moe.py.
#include <gtest/gtest.h>

#include "transformers.hpp"

namespace pipewright {
namespace {

using namespace test;

// 128 tokens, 64 wide, of which each goes to 2 of 4 experts.
constexpr double n = 128, h = 64, rows = 2 * n * h;

Layer block(bool indexes, int64_t expert = 1) {
  const TransformerShape shape = transformer(
      "{layers: 2, hidden: 64, heads: 4, vocabulary: 512, gated: true, norm: rmsnorm, bias: false, "
      "experts: {count: 4, active: 2, ffn: 64}}");
  return layers_of(shape, {.sequence = 128, .indexes_rows = indexes, .expert = expert})[1];
}

double bytes(const Segments& segments) {
  double sum = 0;
  for (const Segment& segment : segments)
    for (const Work& work : segment.kernels)
      sum += static_cast<double>((work.read + work.written).count);
  return sum;
}

double singles(const Segments& segments) {
  double sum = 0;
  for (const Segment& segment : segments)
    for (const Work& work : segment.kernels) sum += work.singles;
  return sum;
}

// Forward: masked 4 B, weighted, masked and gathered 3 x 4. Backward: masked copies 8 and 8, zeros
// 2, sums by index 6, products with weight and result 4 and 6, a sum 2. A mask or a weight for each
// row: three of the passes forward, three backward.
TEST(IndexedRows, are_masked_weighted_and_put_in_order) {
  const Layer permuted = block(false), indexed = block(true);
  EXPECT_DOUBLE_EQ(bytes(indexed.forward) - bytes(permuted.forward), 16 * rows);
  EXPECT_DOUBLE_EQ(bytes(indexed.input_gradient) - bytes(permuted.input_gradient), 36 * rows);
  EXPECT_DOUBLE_EQ(singles(indexed.forward), 3 * rows);
  EXPECT_DOUBLE_EQ(singles(indexed.input_gradient), 3 * rows);
  EXPECT_EQ(flops(indexed.forward), flops(permuted.forward));
}

// Rows that other devices work on are sent by kernels of their own.
TEST(IndexedRows, are_those_of_a_device_with_all_experts) {
  EXPECT_EQ(bytes(block(true, 2).forward), bytes(block(false, 2).forward));
}

}  // namespace
}  // namespace pipewright
