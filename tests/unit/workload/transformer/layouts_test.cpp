// Copies that frameworks make because of where they lay numbers.
#include <gtest/gtest.h>

#include "kernel_sums.hpp"
#include "transformers.hpp"

namespace pipewright::test::layouts {
namespace {

// n = 2 x 128 tokens, h = 64, cut over four tensor ranks with sequence parallelism.
constexpr double n = 2 * 128, h = 64, element = 2;

WorkloadOptions cut() {
  WorkloadOptions options;
  options.micro_batch = 2;
  options.sequence = 128;
  options.tensor = 4;
  options.sequence_parallel = true;
  return options;
}

Layer block(const WorkloadOptions& options) { return layers_of(gpt(3, 64, 4, 512), options)[1]; }

WorkloadOptions with_sequences_first(WorkloadOptions options) {
  options.kernels.sequences_first = true;
  return options;
}

// A block gathers n h numbers twice and scatters them twice, in either direction (arXiv 2205.05198,
// figure 5). Each time they are read and written once more.
TEST(Layouts, what_tensor_ranks_gather_and_scatter_is_copied_once) {
  const Layer before = block(cut()), after = block(with_sequences_first(cut()));
  const double copied = 4 * 2 * n * h * element;
  EXPECT_DOUBLE_EQ(moved_bytes(after.forward) - moved_bytes(before.forward), copied);
  EXPECT_DOUBLE_EQ(moved_bytes(after.input_gradient) - moved_bytes(before.input_gradient), copied);
  EXPECT_DOUBLE_EQ(moved_bytes(after.weight_gradient), moved_bytes(before.weight_gradient));
  EXPECT_EQ(collectives(after.forward).size(), collectives(before.forward).size());
  EXPECT_EQ(collectives(after.input_gradient).size(), collectives(before.input_gradient).size());
  EXPECT_EQ(after.stash, before.stash);
}

// An operand in fp8 is gathered as such: one byte a number. What is scattered stays in 16 bits.
TEST(Layouts, narrow_operands_are_copied_narrow) {
  WorkloadOptions narrow = cut();
  narrow.precision = DType::fp8;
  narrow.fp8.scaling = Scaling::tensorwise;
  const double copied = 2 * 2 * n * h * (1 + element);
  EXPECT_DOUBLE_EQ(
      moved_bytes(block(with_sequences_first(narrow)).forward) - moved_bytes(block(narrow).forward),
      copied);
}

TEST(Layouts, one_sequence_and_whole_sequences_need_no_copy) {
  WorkloadOptions one = cut(), whole = cut();
  one.micro_batch = 1;
  whole.sequence_parallel = false;
  for (const WorkloadOptions& options : {one, whole}) {
    EXPECT_DOUBLE_EQ(moved_bytes(block(with_sequences_first(options)).forward),
                     moved_bytes(block(options).forward));
    EXPECT_DOUBLE_EQ(moved_bytes(block(with_sequences_first(options)).input_gradient),
                     moved_bytes(block(options).input_gradient));
  }
}

// What a block keeps is read and written once more, whatever is run again.
TEST(Layouts, a_scan_over_blocks_stacks_what_each_keeps) {
  WorkloadOptions all = cut(), again = cut();
  again.recompute.block = true;
  for (WorkloadOptions options : {all, again}) {
    const Layer before = block(options);
    options.kernels.stacks_kept = true;
    const Layer after = block(options);
    EXPECT_DOUBLE_EQ(moved_bytes(after.forward) - moved_bytes(before.forward),
                     2 * static_cast<double>(before.stash.count));
    EXPECT_DOUBLE_EQ(moved_bytes(after.recompute), moved_bytes(before.recompute));
    EXPECT_DOUBLE_EQ(moved_bytes(after.input_gradient), moved_bytes(before.input_gradient));
    EXPECT_EQ(after.stash, before.stash);
  }
}

}  // namespace
}  // namespace pipewright::test::layouts
