#include "plan/memory.hpp"
#include "experiment/training_state.hpp"
#include "result/memory_use.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright {
namespace {

/// Embedding (tied: 500 parameters), a block of 1000, a head that shares the 500.
std::vector<Layer> held_model() {
  std::vector<Layer> layers(3);
  layers[0] = {.kind = LayerKind::embedding, .device_parameters = 500};
  layers[1] = {.kind = LayerKind::block, .device_parameters = 1000};
  layers[2] = {
      .kind = LayerKind::head, .device_parameters = 10, .tied = {.device_parameters = 500}};
  return layers;
}

std::vector<Layer> block() { return {held_model()[1]}; }

TEST(StaticMemory, adam_in_bf16_takes_18_bytes_a_parameter) {
  // Megatron: 2 weights, 4 gradients in fp32, 12 master copy and two moments.
  const MemoryUse use = static_memory(block(), {});
  EXPECT_EQ(use.weights, Bytes{2000});
  EXPECT_EQ(use.gradients, Bytes{4000});
  EXPECT_EQ(use.optimizer, Bytes{12000});
  EXPECT_EQ(use.total(), Bytes{18000});
}

TEST(StaticMemory, megatron_keeps_an_unwritten_gradient_for_each_shape_of_weights) {
  // Two products of 30 x 20, one of 10 x 20: 2 bytes for each number of one of either shape.
  const auto product = [](int64_t out, int64_t in) {
    return Work{
        .kernel = Kernel::gemm, .direction = Direction::weight_gradient, .shape = {1, out, in, 5}};
  };
  std::vector<Layer> layers = block();
  layers[0].weight_gradient = {{.kernels = {product(30, 20), product(30, 20), product(10, 20)}}};
  EXPECT_EQ(static_memory(layers, {}).buffers, Bytes{2 * (30 * 20 + 10 * 20)});
  EXPECT_EQ(static_memory(layers, {.gradients = DType::bf16}).buffers, Bytes{});
  EXPECT_EQ(static_memory(layers, {.framework = Framework::deepspeed}).buffers, Bytes{});
}

TEST(StaticMemory, deepspeed_holds_the_gradients_of_a_pass_beside_their_sum) {
  // 2 more than Megatron where they are summed up in fp32; none where bf16 is what they add up in.
  const StateOptions fp32{.framework = Framework::deepspeed};
  EXPECT_EQ(static_memory(block(), fp32).gradients, Bytes{6000});
  EXPECT_EQ(static_memory(block(), fp32).optimizer, Bytes{12000});
  const StateOptions bf16{.framework = Framework::deepspeed, .gradients = DType::bf16};
  EXPECT_EQ(static_memory(block(), bf16).gradients, Bytes{2000});
}

TEST(StaticMemory, the_first_bf16_optimizer_of_deepspeed_cuts_its_moments_only) {
  // Over four devices: a master copy of 4 whole, two moments of 4 cut.
  const StateOptions options{.framework = Framework::deepspeed_0_5, .zero = 1, .shards = 4};
  EXPECT_EQ(static_memory(block(), options).optimizer, Bytes{4000 + 8000 / 4});
}

// 4 bytes of each of a thousand gradients are in a bucket as well.
TEST(StaticMemory, replicas_of_ddp_hold_gradients_in_buckets_too) {
  StateOptions options{.framework = Framework::torch, .shards = 4};
  const Bytes buckets = static_memory(block(), options).buffers;
  options.shards = 1;
  EXPECT_EQ(buckets - static_memory(block(), options).buffers, Bytes{4000});
}

TEST(StaticMemory, in_fp32_the_weights_are_their_own_master_copy) {
  EXPECT_EQ(static_memory(block(), {.precision = DType::fp32}).total(), Bytes{16000});
}

TEST(StaticMemory, each_optimizer_keeps_its_moments) {
  const auto state = [](Optimizer optimizer, DType precision) {
    return static_memory(block(), {.precision = precision, .optimizer = optimizer}).optimizer.count;
  };
  EXPECT_EQ(state(Optimizer::adamw, DType::bf16), 12000);
  EXPECT_EQ(state(Optimizer::lamb, DType::bf16), 12000);
  EXPECT_EQ(state(Optimizer::momentum, DType::bf16), 8000);
  EXPECT_EQ(state(Optimizer::sgd, DType::bf16), 4000);
  EXPECT_EQ(state(Optimizer::sgd, DType::fp32), 0);
}

// arXiv 2106.09685, 4.2: no gradients and no optimizer state of frozen weights.
TEST(StaticMemory, frozen_weights_have_weights_alone) {
  std::vector<Layer> layers = block();
  layers[0].trained = 100;
  const MemoryUse use = static_memory(layers, {});
  EXPECT_EQ(use.weights, Bytes{2000});
  EXPECT_EQ(use.gradients, Bytes{400});
  EXPECT_EQ(use.optimizer, Bytes{1200});
  layers[0].trained = 0;
  EXPECT_EQ(static_memory(layers, {}).total(), Bytes{2000});
  EXPECT_EQ(static_memory(layers, {.zero = 3, .shards = 4}).gradients, Bytes{});
}

// Of 1000 weights 800 are products': in fp8 a byte each; the 200 beside them stay in 16 bits. A
// master copy and two moments do not change.
TEST(StaticMemory, weights_of_products_may_be_stored_narrower) {
  std::vector<Layer> layers = block();
  layers[0].narrow_parameters = 800;
  const auto use = [&](StoredWeights stored, int zero = 0) {
    return static_memory(layers, {.stored = stored, .zero = zero, .shards = 4});
  };
  EXPECT_EQ(use(StoredWeights::as_computed).weights, Bytes{2000});
  EXPECT_EQ(use(StoredWeights::fp8).weights, Bytes{800 + 400});
  EXPECT_EQ(use(StoredWeights::int8).weights, Bytes{800 + 400});
  EXPECT_EQ(use(StoredWeights::fp8).optimizer, Bytes{12000});
  // arXiv 2305.14314: 4 bits and 0.127 for scales.
  EXPECT_NEAR(static_cast<double>(use(StoredWeights::nf4).weights.count), 800 * 4.127 / 8 + 400, 1);
  EXPECT_EQ(use(StoredWeights::fp8, 3).weights, Bytes{(800 + 400) / 4});
  EXPECT_EQ(use(StoredWeights::fp8, 3).buffers, Bytes{4 * 1000 + (800 + 400)});
}

// arXiv 2306.10209, 3.2: a second copy of the weights cut over the devices of a node.
TEST(StaticMemory, a_second_copy_of_weights_is_cut_over_near_devices) {
  const StateOptions options{.zero = 3, .shards = 8, .second_shards = 4};
  EXPECT_EQ(static_memory(block(), options).weights, Bytes{2000 / 8 + 2000 / 4});
}

TEST(StaticMemory, zero_divides_state_then_gradients_then_weights) {  // arXiv 1910.02054
  const auto use = [](int zero) {
    return static_memory(block(), {.gradients = DType::bf16, .zero = zero, .shards = 4});
  };
  EXPECT_EQ(use(0).total(), Bytes{16000});
  EXPECT_EQ(use(1).total(), Bytes{2000 + 2000 + 12000 / 4});
  // One layer's gradient whole while it is reduced; with 3 its weights gathered.
  EXPECT_EQ(use(2).total(), Bytes{2000 + (2000 + 12000) / 4 + 2000});
  EXPECT_EQ(use(3).total(), Bytes{(2000 + 2000 + 12000) / 4 + 2000 + 2000});
}

TEST(StaticMemory, under_a_pipeline_zero_2_holds_whole_gradients_between_micro_batches) {
  const StateOptions options{.zero = 2, .shards = 4, .whole_gradients = true};
  EXPECT_EQ(static_memory(block(), options).gradients, Bytes{4000});
  EXPECT_EQ(static_memory(block(), options).buffers, Bytes{});
}

// Layers of 1, 5, 2 and 4 parameters in bf16: with one fetched ahead 5 + 2 weights are gathered,
// with two 5 + 2 + 4; gradients of 5 + 2 are whole.
TEST(StaticMemory, zero_3_holds_what_is_gathered_and_what_is_reduced) {
  std::vector<Layer> layers;
  for (const double parameters : {1, 5, 2, 4})
    layers.push_back({.kind = LayerKind::block, .device_parameters = 1000 * parameters});
  StateOptions options{.gradients = DType::bf16, .zero = 3, .shards = 4};
  EXPECT_EQ(static_memory(layers, options).buffers, Bytes{2 * (7000 + 7000)});
  options.prefetch = 2;
  EXPECT_EQ(static_memory(layers, options).buffers, Bytes{2 * (11000 + 7000)});
  EXPECT_EQ(static_memory(layers, options).weights, Bytes{2 * 12000 / 4});
  options.whole_weights = options.whole_gradients = true;
  const MemoryUse use = static_memory(layers, options);
  EXPECT_EQ(use.weights, Bytes{2 * 12000});
  EXPECT_EQ(use.gradients, Bytes{2 * 12000});
  EXPECT_EQ(use.optimizer, Bytes{12 * 12000 / 4});
  EXPECT_EQ(use.buffers, Bytes{0});
}

TEST(StaticMemory, experts_are_sharded_over_their_own_replicas) {
  std::vector<Layer> layers = block();
  layers[0].device_expert_parameters = 800;
  const MemoryUse use = static_memory(layers, {.zero = 1, .shards = 4, .expert_shards = 2});
  EXPECT_EQ(use.optimizer, Bytes{12 * (200 / 4 + 800 / 2)});
  EXPECT_EQ(gradient_bytes(layers, DType::fp32).all, Bytes{4000});
  EXPECT_EQ(gradient_bytes(layers, DType::fp32).experts, Bytes{3200});
}

TEST(StaticMemory, tied_weights_are_held_once_a_stage) {
  const std::vector<Layer> all = held_model();
  EXPECT_EQ(static_memory(all, {}).weights, Bytes{2 * 1510});
  EXPECT_EQ(static_memory(std::span(all).subspan(1), {}).weights, Bytes{2 * 1510});
  EXPECT_EQ(static_memory(std::span(all).first(2), {}).weights, Bytes{2 * 1500});
}

TEST(StaticMemory, asynchronous_schedules_hold_copies_of_the_weights) {
  const MemoryUse use = static_memory(block(), {.weight_versions = 4});
  EXPECT_EQ(use.weights, Bytes{2000});
  EXPECT_EQ(use.weight_versions, Bytes{3 * 2000});
}

}  // namespace
}  // namespace pipewright
