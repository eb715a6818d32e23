#include "workload/transformer/block_kinds.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test {
namespace {

constexpr const char* dimensions = "layers: 5, hidden: 64, heads: 4, vocabulary: 100, ";

TransformerShape five_blocks_with(const std::string& more) {
  return transformer(std::string("{") + dimensions + more + "}");
}

TEST(BlockKinds, lists_begin_again_where_they_end) {
  const TransformerShape shape = five_blocks_with("window: 8, mixers: [sliding, sliding, full]");
  const Mixer expected[] = {Mixer::sliding, Mixer::sliding, Mixer::full, Mixer::sliding,
                            Mixer::sliding};
  for (int64_t block = 0; block < 5; ++block) EXPECT_EQ(shape.mixer(block), expected[block]);
  EXPECT_EQ(shape.reach(0, 32), 8);
  EXPECT_EQ(shape.reach(2, 32), 32);
}

TEST(BlockKinds, one_kind_stands_for_all_blocks) {
  const TransformerShape shape = five_blocks_with("feeds: none");
  for (int64_t block = 0; block < 5; ++block) EXPECT_EQ(shape.feed(block), Feed::none);
  EXPECT_FALSE(shape.has_mlp());
}

TEST(BlockKinds, a_block_of_a_mixer_alone_has_one_norm_and_no_mlp) {
  const auto layers =
      layers_of(five_blocks_with("bias: false, feeds: [none, dense]"), {.sequence = 32});
  constexpr double h = 64, norm = 2 * h;
  EXPECT_DOUBLE_EQ(layers[1].parameters, 4 * h * h + norm);
  EXPECT_DOUBLE_EQ(layers[2].parameters, 4 * h * h + 8 * h * h + 2 * norm);
}

// OLMo 2 has as many norms as Llama, Gemma 2 twice as many; of the kernels, those that gather and
// add change place only.
TEST(BlockKinds, norms_stand_before_after_or_on_both_sides) {
  constexpr double h = 64;
  const auto block = [](const char* norms) {
    return layers_of(five_blocks_with(std::string("bias: false, norms: ") + norms),
                     {.sequence = 32})[1];
  };
  EXPECT_DOUBLE_EQ(block("after").parameters, block("before").parameters);
  EXPECT_DOUBLE_EQ(block("both").parameters - block("before").parameters, 2 * 2 * h);
  EXPECT_DOUBLE_EQ(flops({block("both")}, &Layer::forward),
                   flops({block("before")}, &Layer::forward));
}

// A chunk of w = 8 has w (w + 1) / 2 pairs of a query and a key: 36 each, and 6 in the rest of 3.
TEST(BlockKinds, chunks_see_themselves_alone) {
  const auto layers = layers_of(five_blocks_with("window: 8, mixers: chunked"), {.sequence = 35});
  double attention = 0;
  for (const Segment& segment : layers[1].forward)
    for (const Work& work : segment.kernels)
      if (work.kernel == Kernel::attention) attention += work.flops;
  EXPECT_DOUBLE_EQ(attention, 4 * 64 * (4 * 36 + 6));
}

TEST(BlockKinds, what_a_kind_needs_is_told_in_one_line) {
  EXPECT_EQ(error_of([] { five_blocks_with("mixers: [full, mamba]"); }).substr(0, 20),
            "model.yaml:1:67: err");
  EXPECT_EQ(error_of([] { five_blocks_with("mixers: state-space"); }),
            "model.yaml:1:60: error: 'state-space' needs the key 'state_space'");
  EXPECT_EQ(error_of([] { five_blocks_with("mixers: [full, sliding]"); }),
            "model.yaml:1:60: error: 'sliding' needs the key 'window'");
  EXPECT_EQ(error_of([] { five_blocks_with("feeds: experts"); }),
            "model.yaml:1:59: error: 'experts' among them needs the key 'experts' with their "
            "'count'");
  EXPECT_EQ(error_of([] { five_blocks_with("mixers: [full, none], feeds: [dense, none]"); }),
            "model.yaml:1:60: error: block 1 has neither a mixer nor a feed");
  EXPECT_EQ(error_of([] { five_blocks_with("mixers: []"); }),
            "model.yaml:1:60: error: must be a list of kinds, one for each block, such as [full, "
            "sliding]");
}

TEST(BlockKinds, heads_mean_nothing_without_attention) {
  EXPECT_EQ(error_of([] {
              five_blocks_with(
                  "mixers: state-space, feeds: none, state_space: {heads: 4, head_dim: 8, state: "
                  "16}");
            }),
            "model.yaml:1:32: error: no block has attention: 'mixers' say other kinds");
}

}  // namespace
}  // namespace pipewright::test
