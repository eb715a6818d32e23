// Logits and their loss: what each form moves, keeps and holds.
#include <gtest/gtest.h>

#include <cmath>

#include "kernel_sums.hpp"
#include "transformers.hpp"
#include "workload/transformer/transformer.hpp"

namespace pipewright::test::loss {
namespace {

// n = 2 x 128 tokens, h = 64, V = 512: logits are eight times as wide as hidden states.
constexpr double n = 2 * 128, h = 64, V = 512;

double flops_of_passes(const Layer& layer) {
  return flops(layer.forward) + flops(layer.input_gradient) + flops(layer.weight_gradient);
}

Layer head(const LossOptions& loss, int64_t tensor = 1) {
  const WorkloadOptions options{
      .micro_batch = 2, .sequence = 128, .tensor = tensor, .kernels = {.loss = loss}};
  return layers_of(gpt(3, 64, 4, 512), options).back();
}

// Cast 2 + 4, maximum 4, difference 8, exponential 8, sum 4, quotient 8; backward 8 and 4 + 2.
TEST(Loss, in_steps_passes_over_logits_once_an_operator) {
  const Layer layer = head({.kernel = LossKernel::steps});
  EXPECT_DOUBLE_EQ(moved_bytes(layer.forward, Kernel::cross_entropy),
                   (6 + 4 + 8 + 8 + 4 + 8) * n * V);
  EXPECT_DOUBLE_EQ(moved_bytes(layer.input_gradient, Kernel::cross_entropy), (8 + 6) * n * V);
  EXPECT_EQ(layer.stash, head({}).stash);
}

// Cast 2 + 4, log_softmax 3 x 4 + 4; backward zeros 4, log_softmax 3 x 4 + 4, cast 4 + 2. Kept are
// the logarithms, 4. Beside them the loss's gradient and log_softmax's, 4 each, are there at once,
// and so is the gradient of the table before it is added up, 2.
TEST(Loss, of_torch_is_a_kernel_an_operator_and_holds_two_gradients) {
  const Layer layer = head({.kernel = LossKernel::torch}),
              steps = head({.kernel = LossKernel::steps});
  EXPECT_DOUBLE_EQ(moved_bytes(layer.forward, Kernel::cross_entropy), (6 + 16) * n * V);
  EXPECT_DOUBLE_EQ(moved_bytes(layer.input_gradient, Kernel::cross_entropy), (4 + 16 + 6) * n * V);
  EXPECT_EQ(layer.stash, steps.stash);
  EXPECT_DOUBLE_EQ(static_cast<double>(layer.passing.transient.count), 2 * 4 * n * V + 2 * h * V);
}

TEST(Loss, in_steps_agrees_three_times_over_tensor_ranks) {
  const auto agreements = [](LossKernel kernel) {
    int64_t count = 0, sum = 0;
    for (const Segment& segment : head({.kernel = kernel}, 2).forward) {
      const bool agrees = segment.collective && segment.collective->bytes.count < 12 * n + 1;
      count += agrees ? 1 : 0;
      sum += agrees ? segment.collective->bytes.count : 0;
    }
    return std::pair(count, sum);
  };
  EXPECT_EQ(agreements(LossKernel::steps), std::pair(int64_t{3}, static_cast<int64_t>(12 * n)));
  EXPECT_EQ(agreements(LossKernel::fp32), std::pair(int64_t{1}, static_cast<int64_t>(12 * n)));
}

// Chunks change neither the products nor how often a logit is read and written in place.
TEST(Loss, by_chunks_does_the_same_products_in_the_forward_pass) {
  const Layer whole = head({.kernel = LossKernel::fused});
  const Layer chunked = head({.kernel = LossKernel::chunked});
  EXPECT_DOUBLE_EQ(flops_of_passes(chunked), flops_of_passes(whole));
  EXPECT_DOUBLE_EQ(moved_bytes(chunked.forward, Kernel::fused_loss), 4 * n * V);
  EXPECT_EQ(moved_bytes(chunked.input_gradient, Kernel::gemm), 0);
  EXPECT_EQ(moved_bytes(chunked.weight_gradient, Kernel::gemm), 0);
  EXPECT_DOUBLE_EQ(chunked.model_flops, whole.model_flops);
}

// 256 tokens in eight chunks of 32: logits of one take as much as all hidden states.
TEST(Loss, chunks_are_as_many_as_logits_are_times_as_wide) {
  const auto chunks = [](int64_t given) {
    int64_t found = 0;
    for (const Segment& segment : head({.kernel = LossKernel::chunked, .chunks = given}).forward)
      for (const Work& work : segment.kernels)
        found = work.kernel == Kernel::fused_loss ? work.kernels() : found;
    return found;
  };
  EXPECT_EQ(chunks(0), 8);
  EXPECT_EQ(chunks(3), 3);
  EXPECT_EQ(chunks(100'000), 256) << "a token at least";
}

// Kept: gradients of hidden states and of the table, in place of the logits.
TEST(Loss, by_chunks_keeps_gradients_and_holds_the_logits_of_one) {
  const Layer whole = head({.kernel = LossKernel::fused});
  const auto difference = [&](int64_t chunks) {
    const Layer chunked = head({.kernel = LossKernel::chunked, .chunks = chunks});
    return static_cast<double>(whole.stash.count - chunked.stash.count);
  };
  EXPECT_DOUBLE_EQ(difference(2), 2 * n * V - 2 * n * h - 2 * V * h);
  EXPECT_DOUBLE_EQ(difference(16), difference(2));
  const auto held = [](int64_t chunks) {
    return static_cast<double>(
        head({.kernel = LossKernel::chunked, .chunks = chunks}).passing.transient.count);
  };
  EXPECT_DOUBLE_EQ(held(2) - held(4), 2 * V * (n / 2 - n / 4));
}

/// The columns of the logits' product as they lie in memory.
int64_t columns_of_logits(int64_t vocabulary, Operators operators) {
  WorkloadOptions options{.micro_batch = 2, .sequence = 128};
  options.kernels.operators = operators;
  const Layer layer = layers_of(gpt(3, 64, 4, vocabulary), options).back();
  for (const Segment& segment : layer.forward)
    for (const Work& work : segment.kernels)
      if (work.kernel == Kernel::gemm) return work.shape[2];
  return 0;
}

// 63 x 8 = 504, 64 x 8 = 512.
TEST(Loss, a_vocabulary_lies_in_eights_but_for_eager_operators) {
  EXPECT_EQ(columns_of_logits(505, Operators::fused), 512);
  EXPECT_EQ(columns_of_logits(504, Operators::fused), 504);
  EXPECT_EQ(columns_of_logits(505, Operators::eager), 505);
}

}  // namespace
}  // namespace pipewright::test::loss
