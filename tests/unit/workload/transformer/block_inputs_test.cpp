// Embeddings for every block and borrowed keys (Gemma 4), by hand: h = 64, 4 blocks.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::block_inputs {
namespace {

constexpr double h = 64, g = 8, blocks = 4, words = 50;

std::vector<Layer> layers(const std::string& more) {
  return layers_of(transformer("{layers: 4, hidden: 64, heads: 4, kv_heads: 2, ffn: 128, "
                               "gated: true, vocabulary: 100, bias: false, norm: rmsnorm, "
                               "positions: rope, window: 8, mixers: [sliding, full]" +
                               more + "}"),
                   {.sequence = 32});
}

// A table of `words` rows, the product of the embedding and its norm; in a block a product there,
// one back and a norm.
TEST(BlockInputs, have_a_table_and_two_products_a_block) {
  const std::vector<Layer> plain = layers(""),
                           more = layers(", block_inputs: 8, block_vocabulary: 50");
  EXPECT_DOUBLE_EQ(more[0].parameters - plain[0].parameters,
                   words * blocks * g + h * blocks * g + g);
  for (size_t k = 1; k <= 4; ++k)
    EXPECT_DOUBLE_EQ(more[k].parameters - plain[k].parameters, 2 * h * g + h);
}

// Keys and values of 2 heads of 16 numbers, and the norm of the keys; the last two have MLPs twice
// as wide.
TEST(BlockInputs, blocks_that_borrow_have_no_keys_of_their_own) {
  const std::string norms = ", attention: {norm: head";
  const std::vector<Layer> own = layers(norms + "}"),
                           borrowing = layers(norms + ", borrowing: 2}, wide_borrowers: true");
  for (const size_t k : {1u, 2u}) EXPECT_DOUBLE_EQ(borrowing[k].parameters, own[k].parameters);
  for (const size_t k : {3u, 4u})
    EXPECT_DOUBLE_EQ(borrowing[k].parameters - own[k].parameters,
                     3 * h * 128 - 2 * h * 2 * 16 - 16);
  EXPECT_NE(error_of([] { layers(", attention: {borrowing: 4}"); }).find("nobody to borrow"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test::block_inputs
