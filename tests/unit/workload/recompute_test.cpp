#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::recompute {
namespace {

// s = 128, b = 2, h = 64, a = 4: one activation in 16 bits is 2 s b h bytes.
constexpr double sbh = 128 * 2 * 64;
constexpr double scores = 5.0 * 4 * 128 * 128 * 2;  // 5 a s^2 b
// While the activation's backward pass runs: the gradient of the block's output, which goes round
// the MLP, 2, those of the activation's output and input, 4 x 2 each, less the dropout mask, 1.
constexpr double gradients = (2 + 8 + 8 - 1) * sbh;

Layer block_of(const Recompute& recompute, int64_t tensor = 1) {
  return layers_of(gpt(1, 64, 4, 512), {.micro_batch = 2,
                                        .sequence = 128,
                                        .tensor = tensor,
                                        .kernels = {.attention = AttentionKernel::unfused},
                                        .recompute = recompute})[1];
}

TEST(Recompute, none_runs_nothing_again_and_adds_gradients_on_their_way_only) {
  const Layer block = block_of({});
  EXPECT_TRUE(block.recompute.empty());
  EXPECT_EQ(static_cast<double>(block.passing.transient.count), gradients);
}

TEST(Recompute, full_keeps_the_input_and_runs_the_whole_forward_pass_again) {
  const Layer block = block_of({.block = true}, 2);
  EXPECT_EQ(static_cast<double>(block.stash.count), 2 * sbh);
  // The rest of s b h (10 + 24/t + 5as/ht) is there only while the block's backward pass runs.
  const double halved = (2 + 4 + 4 - 1) * sbh;  // gradients of the cut MLP
  EXPECT_EQ(static_cast<double>(block.passing.transient.count),
            sbh * (8 + 24 / 2) + scores / 2 + halved);
  EXPECT_DOUBLE_EQ(flops(block.recompute), flops(block.forward));
  EXPECT_EQ(kernels(block.recompute), kernels(block.forward));
  EXPECT_EQ(collectives(block.recompute).size(), 2u);
}

TEST(Recompute, selective_keeps_all_but_the_attention_core) {  // 34 s b h, arXiv 2205.05198
  const Layer block = block_of({.parts = parts_of({Part::attention})});
  EXPECT_EQ(static_cast<double>(block.stash.count), 34 * sbh);
  EXPECT_EQ(static_cast<double>(block.passing.transient.count), scores + gradients);
  // Two products over the scores: 4 b s^2 h.
  EXPECT_DOUBLE_EQ(flops(block.recompute), 4.0 * 2 * 128 * 128 * 64);
}

TEST(Recompute, of_the_mlp_frees_its_inner_activations) {
  const Layer block = block_of({.parts = parts_of({Part::mlp})});
  EXPECT_EQ(static_cast<double>(block.passing.transient.count), 16 * sbh + gradients);
  EXPECT_DOUBLE_EQ(flops(block.recompute), 16 * sbh * 64);
}

// Products: queries to values, out, up, down. Kept: the input, queries to values, what attention
// keeps and makes, and what goes up; out and down run again, and all that is no product.
TEST(Recompute, of_every_second_product_keeps_attention_and_the_others_results) {
  const Layer block = block_of({.products = 2});
  EXPECT_EQ(static_cast<double>(block.stash.count), sbh * (2 + 6 + 2 + 8) + scores);
  EXPECT_DOUBLE_EQ(flops(block.recompute), 10 * sbh * 64);
}

TEST(Recompute, of_every_product_leaves_attention_alone) {
  const Layer block = block_of({.products = 1});
  EXPECT_DOUBLE_EQ(flops(block.recompute), flops(block.forward) - 4.0 * 2 * 128 * 128 * 64);
}

TEST(Recompute, of_the_norms_frees_their_outputs) {
  const Layer block = block_of({.parts = parts_of({Part::norm})});
  EXPECT_EQ(static_cast<double>(block.passing.transient.count), 4 * sbh + gradients);
  EXPECT_EQ(kernels(block.recompute), 2u);
}

TEST(Recompute, a_number_of_layers_counts_from_the_start_of_every_stage) {
  const auto layers = layers_of(
      gpt(6, 64, 4, 512),
      {.sequence = 128, .recompute = {.block = true, .blocks = 1, .stage_starts = {0, 2, 5}}});
  for (int block = 0; block < 6; ++block) {
    const bool first = block == 0 || block == 2 || block == 5;
    EXPECT_EQ(!layers[static_cast<size_t>(block) + 1].recompute.empty(), first) << block;
  }
}

}  // namespace
}  // namespace pipewright::test::recompute
