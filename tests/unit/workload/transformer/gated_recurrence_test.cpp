// Gated linear recurrent units by hand: h = 64, 96 channels in 4 blocks, four taps.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::gated_recurrence {
namespace {

constexpr double h = 64, w = 96, blocks = 4, taps = 4, b = 2, s = 64;

std::vector<Layer> recurrent(WorkloadOptions options = {}) {
  options.micro_batch = 2;
  options.sequence = 64;
  return layers_of(
      transformer("{layers: 1, hidden: 64, vocabulary: 100, bias: false, norm: rmsnorm, positions: "
                  "none, mixers: gated-recurrence, feeds: none, "
                  "gated_recurrence: {width: 96, blocks: 4}}"),
      options);
}

// x and y of the stream, a filter a channel, two gates a block, a decay a channel, and a product
// back; all products and the filter add biases. The norm has h gains.
TEST(GatedRecurrence, has_the_parameters_of_griffin) {
  const double products = 2 * (h * w + w) + (w * h + h), filter = w * taps + w;
  const double gates = 2 * (blocks * (w / blocks) * (w / blocks) + w);
  EXPECT_DOUBLE_EQ(recurrent()[1].parameters, products + filter + gates + w + h);
}

TEST(GatedRecurrence, has_the_flops_of_its_products_filter_and_recurrence) {
  const double tokens = b * s, products = 2 * tokens * 3 * h * w, filter = 2 * tokens * w * taps;
  const double gates = 2 * tokens * 2 * w * (w / blocks), states = 2 * tokens * w;
  const Layer layer = recurrent()[1];
  EXPECT_DOUBLE_EQ(flops({layer}, &Layer::forward), products + filter + gates + states);
  EXPECT_DOUBLE_EQ(layer.model_flops, products + filter + gates + states);
  EXPECT_DOUBLE_EQ(flops({layer}, &Layer::input_gradient), products + filter + gates + 3 * states);
  EXPECT_DOUBLE_EQ(flops({layer}, &Layer::weight_gradient), products + filter + gates);
}

// The norm's input and output; x and y, what the filter gives, two gates, the states, and their
// product with y.
TEST(GatedRecurrence, keeps_what_its_backward_pass_reads) {
  EXPECT_EQ(recurrent()[1].stash.count, static_cast<int64_t>(b * s * 2 * (2 * h + 7 * w)));
}

// The bias behind the last product and the norm's gains are on every rank.
TEST(GatedRecurrence, tensor_ranks_share_blocks_of_gates) {
  const Layer whole = recurrent()[1], half = recurrent({.tensor = 2})[1];
  EXPECT_DOUBLE_EQ(half.device_parameters - 2 * h, (whole.device_parameters - 2 * h) / 2);
  EXPECT_DOUBLE_EQ(half.parameters, whole.parameters);
  EXPECT_DOUBLE_EQ(flops({half}, &Layer::forward), flops({whole}, &Layer::forward) / 2);
  EXPECT_EQ(error_of([] { recurrent({.tensor = 8}); }),
            "error: tensor 8 must divide gated_recurrence.blocks 4");
}

TEST(GatedRecurrence, needs_the_state_of_the_token_before) {
  EXPECT_EQ(error_of([] { recurrent({.context = 2}); }),
            "error: context must be 1: state-space, recurrent and linear attention blocks pass a "
            "state from token to token");
}

}  // namespace
}  // namespace pipewright::test::gated_recurrence
