// An encoder of sound by hand: h = 64, 16 numbers a frame, 32 tokens of 64 frames, 8 words.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::sound {
namespace {

constexpr double h = 64, bins = 16, b = 2, s = 32, words = 8, vocabulary = 100;

std::vector<Layer> hearing(const std::string& sound = "sound: {bins: 16}, ",
                           WorkloadOptions options = {}) {
  options.micro_batch = 2;
  options.sequence = 32;
  return layers_of(transformer("{layers: 1, hidden: 64, heads: 4, vocabulary: 100, bias: true, "
                               "dropout: false, norm: layernorm, " +
                               sound + "decoder: 1, decoder_sequence: 8}"),
                   options);
}

TEST(Sound, two_convolutions_of_three_taps_make_tokens) {
  const Layer front = hearing()[0];
  EXPECT_EQ(front.name, "sound");
  EXPECT_DOUBLE_EQ(front.parameters, 3 * bins * h + h + 3 * h * h + h + s * h);
  EXPECT_DOUBLE_EQ(*front.trained, front.parameters - s * h);
  const double first = 2 * (2 * b * s) * 3 * bins * h, second = 2 * (b * s) * 3 * h * h;
  EXPECT_DOUBLE_EQ(flops({front}, &Layer::forward), first + second);
  EXPECT_DOUBLE_EQ(flops({front}, &Layer::input_gradient), second);
  EXPECT_DOUBLE_EQ(flops({front}, &Layer::weight_gradient), first + second);
}

// The frames, what the first filter gives and its GELU, and what the second gives.
TEST(Sound, keeps_what_its_backward_pass_reads) {
  EXPECT_EQ(hearing()[0].stash.count, static_cast<int64_t>(2 * b * s * (2 * bins + 4 * h + h)));
}

// Its embedding of words and their positions; without sound the encoder has the table, and keys
// have biases, here of two attentions.
TEST(Sound, the_decoder_has_the_embedding) {
  const std::vector<Layer> heard = hearing(), read = hearing("");
  EXPECT_TRUE(has_embedding(heard[2]));
  EXPECT_FALSE(has_embedding(heard[0]));
  EXPECT_DOUBLE_EQ(heard[2].parameters - read[2].parameters, (vocabulary + words) * h - 2 * h);
  EXPECT_DOUBLE_EQ(heard[1].parameters - read[1].parameters, -h);
}

TEST(Sound, tensor_ranks_hear_alike) {
  const Layer whole = hearing()[0], half = hearing("sound: {bins: 16}, ", {.tensor = 2})[0];
  EXPECT_DOUBLE_EQ(half.device_parameters, whole.device_parameters);
  EXPECT_DOUBLE_EQ(flops({half}, &Layer::forward), flops({whole}, &Layer::forward));
}

TEST(Sound, is_of_an_encoder_with_a_decoder) {
  EXPECT_NE(error_of([] {
              transformer("{layers: 1, hidden: 64, heads: 4, vocabulary: 100, sound: {bins: 16}}");
            }).find("needs the key 'decoder'"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test::sound
