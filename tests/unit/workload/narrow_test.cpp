// Operands in fp8: what each recipe reads, writes and keeps. A block of a GPT with b s = 256 tokens
// and h = 64 has four linear layers, from h, h, h and 4h to 3h, h, 4h and h; a norm comes before
// the first and the third.
#include <gtest/gtest.h>

#include "kernel_sums.hpp"
#include "transformers.hpp"
#include "workload/transformer/transformer.hpp"

namespace pipewright::test::narrow {
namespace {

constexpr double n = 256, h = 64;

Layer block(Scaling scaling) {
  const WorkloadOptions options{
      .micro_batch = 2, .sequence = 128, .precision = DType::fp8, .fp8 = {.scaling = scaling}};
  return layers_of(gpt(3, 64, 4, 512), options)[1];
}

double more_read(Scaling scaling, Segments Layer::*pass) {
  return read_bytes(block(scaling).*pass, Kernel::elementwise) -
         read_bytes(block(Scaling::delayed).*pass, Kernel::elementwise);
}

// bf16 inputs of all four are read for their largest number, those after a norm once more.
TEST(Narrow, tensorwise_scales_cost_another_pass_over_every_operand) {
  EXPECT_EQ(more_read(Scaling::tensorwise, &Layer::forward), 2 * n * ((1 + 1 + 1 + 4) * h + 2 * h));
  EXPECT_EQ(more_read(Scaling::tensorwise, &Layer::input_gradient), 2 * n * (3 + 1 + 4 + 1) * h);
}

TEST(Narrow, scales_of_blocks_are_not_written_by_a_norm) {
  for (const Scaling scaling : {Scaling::blockwise, Scaling::mxfp8}) {
    EXPECT_EQ(more_read(scaling, &Layer::forward), 2 * n * 2 * h);
    EXPECT_EQ(more_read(scaling, &Layer::input_gradient), 0);
  }
}

/// Kernels that stream, in all passes of a block of 8 experts on two devices.
int64_t streams_of_experts(Scaling scaling) {
  TransformerShape shape = gpt(3, 64, 4, 512);
  shape.experts = Experts{.count = 8, .active = 2, .ffn = 64};
  const WorkloadOptions options{.micro_batch = 2,
                                .sequence = 128,
                                .expert = 2,
                                .precision = DType::fp8,
                                .fp8 = {.scaling = scaling}};
  const Layer block = layers_of(shape, options)[1];
  int64_t kernels = 0;
  for (const Segments* pass : {&block.forward, &block.input_gradient})
    for (const Segment& segment : *pass)
      for (const Work& work : segment.kernels)
        if (work.kernel == Kernel::elementwise) kernels += work.kernels();
  return kernels;
}

// Transformer Engine casts the operands of a grouped product in one kernel under delayed scaling
// only. Else each of the 4 experts of a device has its own, for two products forward and two
// backward; one more kernel forward is the attention's, whose norm cannot cast.
TEST(Narrow, operands_of_experts_are_cast_one_by_one) {
  const int64_t together = streams_of_experts(Scaling::delayed);
  EXPECT_EQ(streams_of_experts(Scaling::mxfp8), together + 4 * (4 - 1) + 1);
}

// Kept as operands: both norms' outputs, the context and the activation's, 1 + 1 + 1 + 4 numbers.
TEST(Narrow, kept_operands_bring_their_scales) {
  const auto more_kept = [](Scaling scaling) {
    return static_cast<double>(block(scaling).stash.count - block(Scaling::delayed).stash.count);
  };
  EXPECT_EQ(more_kept(Scaling::tensorwise), 0);
  EXPECT_EQ(more_kept(Scaling::mxfp8), 7 * n * h / 32);
  EXPECT_EQ(more_kept(Scaling::blockwise), 7 * n * h * 4 / 128);
}

/// The same over two tensor ranks that cut sequences between their regions.
Layer cut_block(Scaling scaling, DType precision = DType::fp8) {
  const WorkloadOptions options{.micro_batch = 2,
                                .sequence = 128,
                                .tensor = 2,
                                .sequence_parallel = true,
                                .precision = precision,
                                .fp8 = {.scaling = scaling}};
  return layers_of(gpt(3, 64, 4, 512), options)[1];
}

double communicated(const Segments& segments, CollectiveKind kind) {
  double sum = 0;
  for (const Segment& segment : segments)
    if (segment.collective && segment.collective->kind == kind)
      sum += static_cast<double>(segment.collective->bytes.count);
  return sum;
}

// Attention and the MLP each gather n h numbers, of two bytes or of one, going on and coming back;
// what they scatter is summed in bf16.
TEST(Narrow, operands_are_gathered_as_they_are_read) {
  const Layer wide = cut_block(Scaling::delayed, DType::bf16), narrow = cut_block(Scaling::delayed);
  for (const auto pass : {&Layer::forward, &Layer::input_gradient}) {
    EXPECT_EQ(communicated(wide.*pass, CollectiveKind::all_gather), 2 * 2 * n * h);
    EXPECT_EQ(communicated(narrow.*pass, CollectiveKind::all_gather), 2 * n * h);
    EXPECT_EQ(communicated(narrow.*pass, CollectiveKind::reduce_scatter), 2 * 2 * n * h);
  }
}

// One fp32 number before each of them.
TEST(Narrow, ranks_agree_on_the_largest_number_of_what_is_cut_over_them) {
  for (const auto pass : {&Layer::forward, &Layer::input_gradient}) {
    EXPECT_EQ(communicated(cut_block(Scaling::tensorwise).*pass, CollectiveKind::all_reduce),
              2 * 4);
    for (const Scaling scaling : {Scaling::delayed, Scaling::blockwise, Scaling::mxfp8})
      EXPECT_EQ(communicated(cut_block(scaling).*pass, CollectiveKind::all_reduce), 0);
  }
}

// Half of the tokens for what is gathered: the first and third product's inputs, two bytes a number
// read twice; all of them for the half of the others' inputs that a rank has, 1 and 4 numbers wide.
TEST(Narrow, what_is_gathered_is_cast_before_it) {
  const double more = read_bytes(cut_block(Scaling::tensorwise).forward, Kernel::elementwise) -
                      read_bytes(cut_block(Scaling::delayed).forward, Kernel::elementwise);
  EXPECT_EQ(more, 2 * (2 * 2 * (n / 2) * h + n * (1 + 4) * h / 2));
}

}  // namespace
}  // namespace pipewright::test::narrow
