#include "plan/optimizer_step.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

/// A block of 1000 parameters with two products and a norm, three tensors of weights.
std::vector<Layer> stepped_block() {
  Layer layer{.kind = LayerKind::block, .device_parameters = 1000};
  const Work product{
      .kernel = Kernel::gemm, .direction = Direction::weight_gradient, .shape = {1, 20, 25, 5}};
  layer.forward = {{.kernels = {{.kernel = Kernel::norm}}}};
  layer.weight_gradient = {{.kernels = {product, product}}};
  return {layer};
}

int64_t moved_by(const Work& work) { return (work.read + work.written).count; }

TEST(OptimizerStep, reads_and_writes_everything_that_adam_keeps) {
  // Norm: gradients. Update: gradients and state in, state and weights out. Then gradients zeroed.
  const std::vector<Work> step = optimizer_step(stepped_block(), {});
  ASSERT_EQ(step.size(), 3u);
  EXPECT_EQ(step[0].read, Bytes{4000});
  EXPECT_EQ(step[1].read, Bytes{4000 + 12000});
  EXPECT_EQ(step[1].written, Bytes{12000 + 2000});
  EXPECT_EQ(step[2].written, Bytes{4000});
}

TEST(OptimizerStep, is_shared_under_zero_but_for_gradients_that_are_whole) {
  const std::vector<Work> first = optimizer_step(stepped_block(), {.zero = 1, .shards = 4});
  EXPECT_EQ(first[0].read, Bytes{1000});
  EXPECT_EQ(first.back().written, Bytes{4000});
  EXPECT_EQ(optimizer_step(stepped_block(), {.zero = 2, .shards = 4}).back().written, Bytes{1000});
}

// Two for each moment: 8 + 8 + g and 8 + 8 + g. Root, quotient and sum: 24. The step: 16. In fp32
// there is no copy of the weights.
TEST(OptimizerStep, adam_by_operators_moves_80_bytes_a_parameter_in_fp32) {
  const StateOptions fp32{.precision = DType::fp32, .update = UpdateKernels::loop};
  const Work update = optimizer_step(stepped_block(), fp32)[1];
  EXPECT_EQ(moved_by(update), 80 * 1000);
  EXPECT_EQ(update.kernels(), 8 * 3) << "an operator for each tensor";
}

// The copy reads 4 and writes 2.
TEST(OptimizerStep, operators_copy_the_masters_to_narrow_weights) {
  const Work update = optimizer_step(stepped_block(), {.update = UpdateKernels::loop})[1];
  EXPECT_EQ(moved_by(update), (80 + 6) * 1000);
  EXPECT_EQ(update.kernels(), 9 * 3);
}

TEST(OptimizerStep, foreach_moves_as_much_by_fewer_kernels) {
  const Work loop = optimizer_step(stepped_block(), {.update = UpdateKernels::loop})[1];
  const Work all = optimizer_step(stepped_block(), {.update = UpdateKernels::foreach})[1];
  EXPECT_EQ(moved_by(all), moved_by(loop));
  EXPECT_EQ(all.kernels(), 9);
}

// Plain PyTorch steps a state in bf16 by the same operators: half of 80 bytes but for the two
// gradients, which are in bf16 too, and no copy.
TEST(OptimizerStep, operators_update_a_state_that_is_in_bf16_throughout) {
  StateOptions narrow{.gradients = DType::bf16, .update = UpdateKernels::foreach};
  narrow.moments = Moments::bf16;
  narrow.master_weights = MasterWeights::none;
  const Work update = optimizer_step(stepped_block(), narrow)[1];
  EXPECT_EQ(moved_by(update), 40 * 1000);
  EXPECT_EQ(update.kernels(), 8);
  narrow.master_weights = MasterWeights::fp32;
  EXPECT_EQ(optimizer_step(stepped_block(), narrow)[1].kernels(), 1) << "unlike formats are fused";
}

TEST(OptimizerStep, no_optimizer_moves_less_by_operators) {
  for (const Optimizer optimizer : {Optimizer::adam, Optimizer::adamw, Optimizer::momentum,
                                    Optimizer::rmsprop, Optimizer::sgd, Optimizer::lamb}) {
    const auto bytes = [&](UpdateKernels update) {
      const StateOptions options{
          .precision = DType::fp32, .optimizer = optimizer, .update = update};
      return moved_by(optimizer_step(stepped_block(), options)[1]);
    };
    EXPECT_GE(bytes(UpdateKernels::loop), bytes(UpdateKernels::fused));
  }
}

// nanotron takes the norm of all gradients, multiplies all and zeroes all, whatever is cut.
TEST(OptimizerStep, nanotron_clips_all_gradients) {
  const StateOptions options{.framework = Framework::nanotron, .zero = 1, .shards = 4};
  const std::vector<Work> step = optimizer_step(stepped_block(), options);
  ASSERT_EQ(step.size(), 4u);
  EXPECT_EQ(step[0].read, Bytes{4000});
  EXPECT_EQ(moved_by(step[2]), 2 * 4000);
  EXPECT_EQ(step[3].written, Bytes{4000});
}

TEST(OptimizerStep, a_host_steps_by_a_kernel_of_its_own) {
  StateOptions options{.update = UpdateKernels::loop};
  options.optimizer_on_host = true;
  EXPECT_EQ(moved_by(optimizer_step(stepped_block(), options)[1]),
            moved_by(optimizer_step(stepped_block(), {})[1]));
}

}  // namespace
}  // namespace pipewright
