#include "plan/stage_layers.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

Work product(double flops, int64_t rows) {
  return {.kernel = Kernel::gemm, .flops = flops, .read = Bytes{1000}, .shape = {1, rows, 8, 8}};
}

Layer layer(double flops) {
  Layer layer;
  layer.forward = {{{product(flops, 64)}, std::nullopt}};
  layer.input_gradient = {{{product(flops, 64)}, std::nullopt}};
  layer.weight_gradient = {{{product(flops, 64)}, std::nullopt}};
  layer.stash = Bytes{100};
  layer.passing.transient = Bytes{static_cast<int64_t>(flops)};
  layer.output = Bytes{32};
  return layer;
}

// Kernels without a collective between them are one op: fewer ops, the same time.
TEST(StageWork, neighbouring_kernels_become_one_segment) {
  const std::vector<Layer> layers = {layer(1), layer(2)};
  const StageWork stage = stage_work(layers, Bytes{16});
  ASSERT_EQ(stage.forward.size(), 1u);
  EXPECT_EQ(stage.forward[0].kernels.size(), 2u);
  EXPECT_EQ(stage.backward[0].kernels.size(), 4u);
  // Backward starts with the last layer.
  EXPECT_DOUBLE_EQ(stage.backward[0].kernels[0].flops, 2);
  EXPECT_EQ(stage.activation, Bytes{200});
  EXPECT_EQ(stage.transient, Bytes{2});
  EXPECT_EQ(stage.forward_output, Bytes{32});
  EXPECT_EQ(stage.backward_output, Bytes{16});
}

TEST(StageWork, a_collective_ends_a_segment) {
  Layer first = layer(1);
  first.forward[0].collective = CollectiveWork{};
  const std::vector<Layer> layers = {first, layer(2)};
  EXPECT_EQ(stage_work(layers, Bytes{}).forward.size(), 2u);
}

// Where layers join, each begins a segment of every pass, and waits there.
TEST(StageWork, layers_may_begin_where_all_is_over) {
  const std::vector<Layer> layers = {layer(1), layer(2)};
  const StageWork stage = stage_work(layers, Bytes{}, {.bucket = {1, 0}, .layers_join = true});
  for (const Segments* pass :
       {&stage.forward, &stage.backward, &stage.input_gradient, &stage.weight_gradient,
        &stage.last_backward, &stage.last_weight_gradient}) {
    ASSERT_EQ(pass->size(), 2u);
    EXPECT_TRUE(pass->back().joins);
  }
  EXPECT_EQ(stage.backward[1].kernels.size(), 2u);
}

// The second half of a causal sequence: half of the tokens, three quarters of the attention.
TEST(SliceOf, attention_grows_with_the_tokens_before_it) {
  StageWork whole;
  Work attention{.kernel = Kernel::attention, .flops = 400, .shape = {1, 4, 64, 8}};
  whole.forward = {{{product(100, 64), attention}, std::nullopt}};
  const StageWork slice = slice_of(whole, 32, 64, 64);
  EXPECT_DOUBLE_EQ(slice.forward[0].kernels[0].flops, 50);
  EXPECT_EQ(slice.forward[0].kernels[0].shape[1], 32);
  EXPECT_DOUBLE_EQ(slice.forward[0].kernels[1].flops, 300);
  EXPECT_EQ(slice.forward[0].kernels[1].shape[2], 32);
}

// Products of experts have a batch, as attention's have, but work on tokens: half of them, half the
// work.
TEST(SliceOf, products_of_experts_grow_with_the_tokens) {
  StageWork whole;
  Work experts = product(100, 64);
  experts.shape[0] = 8;
  experts.in_turn = true;
  whole.forward = {{{experts}, std::nullopt}};
  const StageWork slice = slice_of(whole, 32, 64, 64);
  EXPECT_DOUBLE_EQ(slice.forward[0].kernels[0].flops, 50);
  EXPECT_EQ(slice.forward[0].kernels[0].shape[1], 32);
}

}  // namespace
}  // namespace pipewright::test
