#include "workload/transformer/experts_shape.hpp"

#include <gtest/gtest.h>

#include "transformers.hpp"

namespace pipewright::test {
namespace {

double parameters_with_experts(const std::string& experts) {
  const std::string text =
      "{layers: 1, hidden: 64, heads: 4, vocabulary: 100, bias: false, gated: true, experts: "
      "{count: 8, active: 2, ffn: 16, ";
  return layers_of(transformer(text + experts + "}}"), {.sequence = 32})[1].parameters;
}

// h = 64, E = 8 gated experts of f = 16: a shared one is 3 h f, or 3 h times its own width, and its
// gate h; biases are 2 f + h an expert, and one an expert for the router.
TEST(ExpertsShape, its_parts_have_the_parameters_of_the_hand_count) {
  constexpr double h = 64, f = 16, count = 8;
  const double plain = parameters_with_experts("shared: 0");
  EXPECT_DOUBLE_EQ(plain, 4 * h * h + 4 * h + count * 3 * h * f + count * h);
  EXPECT_DOUBLE_EQ(parameters_with_experts("shared: 2") - plain, 2 * 3 * h * f);
  EXPECT_DOUBLE_EQ(parameters_with_experts("shared: 1, shared_ffn: 40") - plain, 3 * h * 40);
  EXPECT_DOUBLE_EQ(parameters_with_experts("shared: 1, shared_gate: true") - plain, 3 * h * f + h);
  EXPECT_DOUBLE_EQ(parameters_with_experts("bias: true") - plain, count * (2 * f + h) + count);
}

// Rows of l = 24 in place of 64: an expert is 3 l f, and two products of h l stand around them.
TEST(ExpertsShape, tokens_may_be_narrower_between_experts) {
  constexpr double h = 64, f = 16, count = 8, l = 24;
  EXPECT_DOUBLE_EQ(parameters_with_experts("latent: 24"),
                   4 * h * h + 4 * h + count * 3 * l * f + count * h + 2 * h * l);
}

TEST(ExpertsShape, the_sum_of_narrow_experts_may_be_normed) {
  EXPECT_DOUBLE_EQ(parameters_with_experts("latent: 24, latent_norm: true") -
                       parameters_with_experts("latent: 24"),
                   24);
}

// As many experts that do nothing as others: half of the choices are work, sent and counted; the
// router scores all.
TEST(ExpertsShape, experts_that_do_nothing_are_only_scored) {
  const auto layer = [](const std::string& zero, int64_t expert) {
    return layers_of(transformer("{layers: 1, hidden: 64, heads: 4, vocabulary: 100, bias: false, "
                                 "gated: true, experts: {count: 8, active: 2, ffn: 16, " +
                                 zero + "}}"),
                     {.sequence = 32, .expert = expert})[1];
  };
  constexpr double h = 64, f = 16, tokens = 32;
  EXPECT_DOUBLE_EQ(layer("zero: 8", 1).parameters - layer("zero: 0", 1).parameters, 8 * h);
  EXPECT_DOUBLE_EQ(layer("zero: 0", 1).model_flops - layer("zero: 8", 1).model_flops,
                   2 * tokens * (3 * h * f - 8 * h));
  const auto sent = [&](const std::string& zero) {
    double bytes = 0;
    for (const CollectiveWork& work : collectives(layer(zero, 4).forward))
      if (work.kind == CollectiveKind::all_to_all) bytes += static_cast<double>(work.bytes.count);
    return bytes;
  };
  EXPECT_DOUBLE_EQ(sent("zero: 8"), sent("zero: 0") / 2);
}

// What is sent to other devices and back is as narrow.
TEST(ExpertsShape, narrower_tokens_are_sent) {
  const auto sent = [](const std::string& latent) {
    double bytes = 0;
    const auto layers = layers_of(
        transformer("{layers: 1, hidden: 64, heads: 4, vocabulary: 100, experts: {count: 8, "
                    "active: 2, ffn: 16" +
                    latent + "}}"),
        {.sequence = 32, .expert = 4});
    for (const CollectiveWork& one : collectives(layers[1].forward))
      if (one.kind == CollectiveKind::all_to_all) bytes += static_cast<double>(one.bytes.count);
    return bytes;
  };
  EXPECT_DOUBLE_EQ(sent(", latent: 16"), sent("") / 4);
}

TEST(ExpertsShape, devices_of_an_expert_group_share_their_biases) {
  const TransformerShape shape = transformer(
      "{layers: 1, hidden: 64, heads: 4, vocabulary: 100, bias: false, experts: {count: 8, ffn: "
      "16, bias: true}}");
  const auto whole = layers_of(shape, {.sequence = 32});
  const auto part = layers_of(shape, {.sequence = 32, .expert = 4});
  EXPECT_DOUBLE_EQ(part[1].device_expert_parameters, whole[1].device_expert_parameters / 4);
}

}  // namespace
}  // namespace pipewright::test
