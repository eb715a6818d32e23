// Encoder and decoder: what a decoder's block does beside an encoder's.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::decoder {
namespace {

// h = 64 of 8 heads of 8, f = 256, V = 512; b = 2 sequences, of 32 tokens before the encoder and 16
// before the decoder.
constexpr double h = 64, f = 256, vocabulary = 512, n_in = 2 * 32, n_out = 2 * 16;

TransformerShape small_t5() {
  TransformerShape shape = gpt(3, 64, 8, 512);
  shape.ffn = 256;
  shape.decoder.layers = 2;
  shape.decoder.sequence = 16;
  shape.positions = Positions::none;
  shape.norm = Norm::rmsnorm;
  shape.bias = false;
  return shape;
}

std::vector<Layer> t5(WorkloadOptions options = {}) {
  options.micro_batch = 2;
  options.sequence = 32;
  return layers_of(small_t5(), options);
}

TEST(Decoder, follows_the_encoder) {
  const std::vector<Layer> layers = t5();
  ASSERT_EQ(layers.size(), 1u + 3 + 2 + 1);
  EXPECT_EQ(layers[4].name, "decoder block 0");
}

// Its own attention has four products of h x h, as an encoder's; attention to the encoder four
// more.
TEST(Decoder, has_a_second_attention) {
  const std::vector<Layer> layers = t5();
  EXPECT_DOUBLE_EQ(layers[3].parameters, 4 * h * h + 2 * h * f + 2 * h);
  EXPECT_DOUBLE_EQ(layers[5].parameters, 8 * h * h + 2 * h * f + 3 * h);
}

// Two FLOPs for each parameter and token, keys and values of the encoder's tokens; scores and sums
// 2 (2 h) for each pair of a query and a key.
TEST(Decoder, projects_its_own_tokens_and_the_encoders) {
  const std::vector<Layer> layers = t5();
  EXPECT_DOUBLE_EQ(layers[3].model_flops, 2 * n_in * (4 * h * h + 2 * h * f) + 4 * h * n_in * 32);
  EXPECT_DOUBLE_EQ(layers[5].model_flops, 2 * n_out * (6 * h * h + 2 * h * f) +
                                              2 * n_in * 2 * h * h + 4 * h * n_out * (16 + 32));
  EXPECT_DOUBLE_EQ(layers.back().model_flops, 2 * n_out * h * vocabulary);
}

// An encoder's block hands on n' h numbers in 16 bits, a decoder's n h of its own with them.
TEST(Decoder, hands_on_both_streams) {
  const std::vector<Layer> layers = t5();
  EXPECT_EQ(layers[3].output.count, static_cast<int64_t>(2 * n_in * h));
  EXPECT_EQ(layers[5].output.count, static_cast<int64_t>(2 * (n_in + n_out) * h));
}

// Forward flash attention: 4 h for each pair that is seen: all of the encoder's, of one's own those
// before.
TEST(Decoder, sees_all_of_the_encoder_and_its_own_past) {
  const std::vector<Layer> layers = t5();
  double flops = 0;
  for (const Segment& segment : layers[5].forward)
    for (const Work& work : segment.kernels)
      if (work.kernel == Kernel::attention) flops += work.flops;
  EXPECT_DOUBLE_EQ(flops, 4 * h * 2 * (16 * 32 + 16 * 17 / 2.0));
}

TEST(Decoder, cannot_be_cut_in_context) {
  EXPECT_EQ(
      error_of([] { t5({.context = 2}); }),
      "error: an encoder with a decoder is cut in neither context nor a grid of tensor ranks");
}

}  // namespace
}  // namespace pipewright::test::decoder
