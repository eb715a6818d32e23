// `kernels: eager`: what plain PyTorch moves through memory beyond fused kernels.
#include <gtest/gtest.h>

#include "transformers.hpp"
#include "workload/transformer/transformer.hpp"

namespace pipewright {
namespace {

using namespace test;

// A block small enough to reckon by hand: n = 2 x 128 tokens, h = 64, heads of 16.
constexpr double n = 2 * 128, h = 64, f = 256;

struct Moved {
  double forward, input_gradient, weight_gradient;
};

double bytes(const Segments& segments) {
  double sum = 0;
  for (const Segment& segment : segments)
    for (const Work& work : segment.kernels)
      sum += static_cast<double>((work.read + work.written).count);
  return sum;
}

/// What a block moves more with PyTorch's own kernels, or nanotron's.
Moved more(const TransformerShape& shape, WorkloadOptions options,
           Operators operators = Operators::eager) {
  options.micro_batch = 2;
  if (options.sequence == 0) options.sequence = 128;
  const Layer fused = layers_of(shape, options)[1];
  options.kernels.operators = operators;
  const Layer eager = layers_of(shape, options)[1];
  EXPECT_EQ(eager.passing.transient, fused.passing.transient) << "gradients are as large as before";
  return {bytes(eager.forward) - bytes(fused.forward),
          bytes(eager.input_gradient) - bytes(fused.input_gradient),
          bytes(eager.weight_gradient) - bytes(fused.weight_gradient)};
}

TransformerShape llama() {
  TransformerShape shape = gpt(3, 64, 4, 512);
  shape.norm = Norm::rmsnorm;
  shape.gated = true;
  shape.bias = shape.dropout = false;
  shape.positions = Positions::rope;
  return shape;
}

// Two dropouts alone, 2 x 4 B; two norms whose weights' gradients read both operands again, 2 x 4
// B; gradients of queries, keys and values joined, 3 x 4 B.
TEST(Eager, a_gpt_moves_little_more) {
  const Moved moved = more(gpt(3, 64, 4, 512), {});
  EXPECT_DOUBLE_EQ(moved.forward, 2 * 4 * n * h);
  EXPECT_DOUBLE_EQ(moved.input_gradient, (2 * 4 + 3 * 4) * n * h);
  EXPECT_DOUBLE_EQ(moved.weight_gradient, 0);
}

// Eight operators, 36 B in place of 4, and eleven backward, 56 of 6; beside input and output they
// keep the half, the tanh and one more, 6 B.
TEST(Eager, transformers_gelu_is_eight_operators) {
  TransformerShape shape = gpt(3, 64, 4, 512);
  const Moved one = more(shape, {});
  WorkloadOptions options{.micro_batch = 2, .sequence = 128};
  options.kernels.operators = Operators::eager;
  const Bytes kept = layers_of(shape, options)[1].stash;
  shape.activation = Activation::gelu_new;
  const Moved eight = more(shape, {});
  EXPECT_DOUBLE_EQ(eight.forward - one.forward, 32 * n * f);
  EXPECT_DOUBLE_EQ(eight.input_gradient - one.input_gradient, 50 * n * f);
  EXPECT_DOUBLE_EQ(static_cast<double>((layers_of(shape, options)[1].stash - kept).count),
                   6 * n * f);
}

// In fp32 nothing is cast: 28 B of 8, 92 of 12, and no copy but the result before the weight.
TEST(Eager, norms_in_fp32_cast_nothing) {
  TransformerShape shape = llama();
  shape.gated = false;
  shape.positions = Positions::none;
  const Moved moved = more(shape, {.precision = DType::fp32});
  EXPECT_DOUBLE_EQ(moved.forward, 2 * (28 - 8) * n * h);
  EXPECT_DOUBLE_EQ(moved.input_gradient, (2 * (92 - 12) + 3 * 8) * n * h);
}

// RMS norm: 36 B in place of 4 forward, 92 of 6 backward. Gate: 10 of 6 and 18 of 10. Rotation of
// queries and keys: 20 of 4 forward, 34 of 4 backward.
TEST(Eager, a_llama_s_norms_gate_and_rotation_are_chains_of_operators) {
  const Moved moved = more(llama(), {});
  EXPECT_DOUBLE_EQ(moved.forward, 2 * 32 * n * h + 4 * n * f + 16 * n * 2 * h);
  EXPECT_DOUBLE_EQ(moved.input_gradient,
                   2 * 86 * n * h + 8 * n * f + 30 * n * 2 * h + 3 * 4 * n * h);
}

double singles(const Segments& segments) {
  double sum = 0;
  for (const Segment& segment : segments)
    for (const Work& work : segment.kernels) sum += work.singles;
  return sum;
}

// Two norms, three numbers of each forward and four backward; rotations of queries and keys, 4.5
// and 5.5, or, of complex numbers, one. Fused kernels have none.
TEST(Eager, numbers_without_vector_loads_are_counted) {
  WorkloadOptions options{.micro_batch = 2, .sequence = 128};
  EXPECT_EQ(singles(layers_of(llama(), options)[1].forward), 0);
  options.kernels.operators = Operators::eager;
  const Layer plain = layers_of(llama(), options)[1];
  EXPECT_DOUBLE_EQ(singles(plain.forward), (2 * 3 + 2 * 4.5) * n * h);
  EXPECT_DOUBLE_EQ(singles(plain.input_gradient), (2 * 4 + 2 * 5.5) * n * h);
  options.kernels.complex_rotation = true;
  EXPECT_DOUBLE_EQ(singles(layers_of(llama(), options)[1].forward), (2 * 3 + 2) * n * h);
}

// Norms and rotation are fused. Queries, keys and values are laid out, 3 x 4 B, keys and values
// twice more, 2 x 2 x 4 B; the gate as above, and its gradients joined, 8. Gradients of keys and
// values joined, 2 x 4, of all joined and, with a key head for each query head, laid out, 2 x 3
// x 4. Outputs of two sequences are laid out both ways, 4. 16 bits of 12 h^2 - 4 h f + 3 h f + 2 h
// weights are added apart.
TEST(Eager, nanotron_lays_out_what_attention_reads) {
  WorkloadOptions options;
  options.gradients = DType::fp32;
  const Moved moved = more(llama(), options, Operators::nanotron);
  const double weights = 4 * h * h + 3 * h * f + 2 * h;
  EXPECT_DOUBLE_EQ(moved.forward, (3 * 4 + 2 * 2 * 4 + 4) * n * h + 4 * n * f);
  EXPECT_DOUBLE_EQ(moved.input_gradient, (2 * 4 + 2 * 3 * 4 + 4) * n * h + (8 + 8) * n * f);
  EXPECT_DOUBLE_EQ(moved.weight_gradient, 2 * 2 * weights);
}

// Kept: the gate's activation, 2 B; of both norms the fp32 copy and the result before the weight,
// 6 B. nanotron's norms keep nothing; its laid out outputs 2 B, and the keys and values that stand
// in one tensor with queries 4 B.
TEST(Eager, operators_keep_what_the_next_one_needs) {
  const auto stash = [](Operators operators) {
    WorkloadOptions options{.micro_batch = 2, .sequence = 128};
    options.kernels.operators = operators;
    return static_cast<double>(layers_of(llama(), options)[1].stash.count);
  };
  const double fused = stash(Operators::fused);
  EXPECT_DOUBLE_EQ(stash(Operators::eager) - fused, 2 * n * f + 2 * 6 * n * h);
  EXPECT_DOUBLE_EQ(stash(Operators::nanotron) - fused, 2 * n * f + (2 + 4) * n * h);
}

// The outputs of both row-parallel products are whole before they are scattered, 2 B each.
TEST(Eager, what_nanotron_scatters_is_held_while_there_is_room) {
  const auto held = [](Operators operators, bool scatters) {
    WorkloadOptions options{.micro_batch = 2, .sequence = 128, .tensor = 2};
    options.sequence_parallel = scatters;
    options.kernels.operators = operators;
    return static_cast<double>(layers_of(llama(), options)[1].passing.reclaimable.count);
  };
  EXPECT_DOUBLE_EQ(held(Operators::nanotron, true), 2 * 2 * n * h);
  EXPECT_EQ(held(Operators::nanotron, false), 0) << "summed in place";
  EXPECT_EQ(held(Operators::eager, true), 0);
}

// 4 x 2 x s^2 scores: scaled and masked apart, 2 x 4 B; rows of 2048 are read once more, and so are
// both operands of their gradient, which is masked and scaled apart and multiplied with them
// before, 6 B.
TEST(Eager, scores_are_scaled_masked_and_read_again_by_themselves) {
  TransformerShape shape = gpt(3, 64, 4, 512);
  shape.dropout = false;
  const double scores = 4 * 2 * 2048.0 * 2048.0, tokens = 2 * 2048;
  const Moved moved =
      more(shape, {.sequence = 2048, .kernels = {.attention = AttentionKernel::unfused}});
  EXPECT_DOUBLE_EQ(moved.forward, (2 * 4 + 2) * scores);
  EXPECT_DOUBLE_EQ(moved.input_gradient, (2 * 4 + 4 + 6) * scores + (2 * 4 + 3 * 4) * tokens * h);
}

// Products of 12 h^2 weights, biases of 9 h and norms of 4 h: copied in 16 bits, divided in 32.
TEST(Shards, pass_their_gradients_through_flat_buffers) {
  WorkloadOptions options{.micro_batch = 2, .sequence = 128};
  const double whole = bytes(layers_of(gpt(3, 64, 4, 512), options)[1].weight_gradient);
  options.sharded.sums_gradients = true;
  const double sharded = bytes(layers_of(gpt(3, 64, 4, 512), options)[1].weight_gradient);
  EXPECT_DOUBLE_EQ(sharded - whole, (2 * 2 + 2 * 4) * (12 * h * h + 13 * h));
}

// FSDP2 reads 12 h^2 + 13 h weights of 2 B and writes them, before either pass.
TEST(Shards, are_split_into_parameters_before_each_pass) {
  WorkloadOptions options{.micro_batch = 2, .sequence = 128};
  const Layer in_place = layers_of(gpt(3, 64, 4, 512), options)[1];
  options.sharded.splits_weights = true;
  const Layer split = layers_of(gpt(3, 64, 4, 512), options)[1];
  const double moved = 2 * 2 * (12 * h * h + 13 * h);
  EXPECT_DOUBLE_EQ(bytes(split.forward) - bytes(in_place.forward), moved);
  EXPECT_DOUBLE_EQ(bytes(split.input_gradient) - bytes(in_place.input_gradient), moved);
}

// 12 h^2 + 13 h weights of 2 B at 27 GB/s, before the forward and again before the backward pass;
// under full recomputation the backward pass begins with the forward's.
TEST(Shards, are_copied_into_place_before_each_pass) {
  WorkloadOptions options{.micro_batch = 2, .sequence = 128, .sharded = {.copies_weights = true}};
  const auto waits = [&](const Segments& segments) {
    Time sum;
    for (const Segment& segment : segments)
      for (const Work& work : segment.kernels) sum += work.fixed;
    return in_seconds(sum);
  };
  const double expected = 2 * (12 * h * h + 13 * h) / 27e9;
  const Layer kept = layers_of(gpt(3, 64, 4, 512), options)[1];
  EXPECT_NEAR(waits(kept.forward), expected, 1e-12);
  EXPECT_NEAR(waits(kept.input_gradient), expected, 1e-12);
  options.recompute.block = true;
  const Layer again = layers_of(gpt(3, 64, 4, 512), options)[1];
  EXPECT_NEAR(waits(again.recompute), expected, 1e-12);
  EXPECT_EQ(waits(again.input_gradient), 0);
}

}  // namespace
}  // namespace pipewright
