// A short convolution by hand: h = 64, three taps.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::short_convolution {
namespace {

constexpr double h = 64, taps = 3, b = 2, s = 64;

std::vector<Layer> convolution(WorkloadOptions options = {}, const std::string& bias = "false") {
  options.micro_batch = 2;
  options.sequence = 64;
  return layers_of(
      transformer("{layers: 1, hidden: 64, vocabulary: 100, bias: false, norm: rmsnorm, positions: "
                  "none, mixers: short-convolution, feeds: none, short_convolution: {bias: " +
                  bias + "}}"),
      options);
}

// B, C and x come of one product, the convolution has a filter a channel, one product leads back.
TEST(ShortConvolution, has_the_parameters_of_lfm2) {
  EXPECT_DOUBLE_EQ(convolution()[1].parameters, 3 * h * h + taps * h + h * h + h);
  EXPECT_DOUBLE_EQ(convolution({}, "true")[1].parameters,
                   convolution()[1].parameters + 3 * h + h + h);
}

TEST(ShortConvolution, has_the_flops_of_its_products_and_filter) {
  const double tokens = b * s, products = 2 * tokens * 4 * h * h, filter = 2 * tokens * h * taps;
  EXPECT_DOUBLE_EQ(flops({convolution()[1]}, &Layer::forward), products + filter);
  EXPECT_DOUBLE_EQ(convolution()[1].model_flops, products + filter);
  EXPECT_DOUBLE_EQ(flops({convolution()[1]}, &Layer::input_gradient), products + filter);
}

// The norm's input and output, B, C and x, B times x, the filter's result, and that times C.
TEST(ShortConvolution, keeps_what_its_backward_pass_reads) {
  EXPECT_EQ(convolution()[1].stash.count, static_cast<int64_t>(b * s * 2 * h * (2 + 3 + 3)));
}

TEST(ShortConvolution, tensor_ranks_share_channels) {
  const Layer whole = convolution()[1], half = convolution({.tensor = 2})[1];
  EXPECT_DOUBLE_EQ(half.device_parameters - h, (whole.device_parameters - h) / 2);
  EXPECT_DOUBLE_EQ(half.parameters, whole.parameters);
  EXPECT_DOUBLE_EQ(flops({half}, &Layer::forward), flops({whole}, &Layer::forward) / 2);
  EXPECT_EQ(error_of([] { convolution({.tensor = 3}); }), "error: tensor 3 must divide hidden 64");
}

TEST(ShortConvolution, needs_the_tokens_before) {
  EXPECT_EQ(error_of([] { convolution({.context = 2}); }),
            "error: context must be 1: short convolutions read tokens of other devices");
}

}  // namespace
}  // namespace pipewright::test::short_convolution
