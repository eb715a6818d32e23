// Formats of what waits for the backward pass (arXiv 2412.19437, 3.3.3), and what a host keeps of
// it, in bytes a token by hand.
#include <gtest/gtest.h>

#include "transformers.hpp"

namespace pipewright::test::kept_formats {
namespace {

constexpr double n = 128, h = 256, heads = 4, d = 64, f = 512;

Layer block(const WorkloadOptions& given, const std::string& more = "") {
  WorkloadOptions options = given;
  options.sequence = static_cast<int64_t>(n);
  return layers_of(transformer("{layers: 1, hidden: 256, heads: 4, ffn: 512, gated: true, "
                               "vocabulary: 1000, positions: rope, norm: rmsnorm, bias: false" +
                               more + "}"),
                   options)[1];
}

double kept(const WorkloadOptions& options, const std::string& more = "") {
  return static_cast<double>(block(options, more).stash.count);
}

/// The bytes that the host keeps of such inputs.
double leaves(std::initializer_list<OffloadedInput> inputs, const std::string& more = "") {
  WorkloadOptions options;
  for (const OffloadedInput input : inputs) options.offloaded.set(static_cast<size_t>(input));
  return static_cast<double>(block(options, more).leaves.count);
}

// What enters a gated activation is 2 f numbers a token, in 8 bits in place of 16; two casts.
TEST(KeptFormats, inputs_of_activations_in_8_bits_are_half_as_much) {
  const WorkloadOptions narrow{.kept = {.activation_inputs = KeptInputs::fp8}};
  EXPECT_DOUBLE_EQ(kept({}) - kept(narrow), n * 2 * f);
  EXPECT_EQ(kernels(block(narrow).forward), kernels(block({}).forward) + 1);
  EXPECT_EQ(kernels(block(narrow).input_gradient), kernels(block({}).input_gradient) + 1);
}

// 16 bits for the core and an operand of 8 for the product, or 12 bits for both.
TEST(KeptFormats, outputs_of_attention_in_12_bits_are_kept_once) {
  WorkloadOptions options{.precision = DType::fp8};
  const double twice = kept(options);
  options.kept.attention_outputs = KeptOutputs::e5m6;
  EXPECT_DOUBLE_EQ(twice - kept(options), n * heads * d * (2 + 1 - 1.5));
}

// Megatron-Core's weights of the router multiply what is between the experts' products; DeepSpeed's
// what experts give back, h numbers for each of 2 copies of a token.
TEST(KeptFormats, results_of_experts_are_kept_where_the_routers_weights_multiply_them) {
  const std::string experts = ", experts: {count: 4, active: 2, ffn: 64}";
  WorkloadOptions results;
  results.kernels.routed = RoutedWeights::results;
  EXPECT_DOUBLE_EQ(kept(results, experts) - kept({}, experts), n * 2 * h * 2);
}

// Norms read the stream, the first product what its norm makes, the core queries, keys and values,
// the product behind it as much as the queries.
TEST(KeptFormats, a_host_keeps_the_inputs_that_it_is_told_to) {
  using enum OffloadedInput;
  EXPECT_DOUBLE_EQ(leaves({}), 0);
  EXPECT_DOUBLE_EQ(leaves({attention_norm}), n * 2 * h);
  EXPECT_DOUBLE_EQ(leaves({projections}), n * 2 * h);
  EXPECT_DOUBLE_EQ(leaves({attention}), n * 2 * 3 * heads * d);
  EXPECT_DOUBLE_EQ(leaves({attention, output_projection}), n * 2 * 4 * heads * d);
  EXPECT_DOUBLE_EQ(leaves({feed_norm}), n * 2 * h);
  const std::string experts = ", experts: {count: 4, active: 2, ffn: 64}";
  EXPECT_DOUBLE_EQ(leaves({first_expert_product}, experts), n * 2 * 2 * h);
  EXPECT_DOUBLE_EQ(leaves({expert_activation}, experts), n * 2 * 2 * 2 * 64);
  EXPECT_DOUBLE_EQ(leaves({first_expert_product, expert_activation}), 0);
}

TEST(KeptFormats, a_host_keeps_nothing_that_is_run_again) {
  WorkloadOptions options{.recompute = {.block = true}};
  options.offloaded.set(static_cast<size_t>(OffloadedInput::attention));
  EXPECT_EQ(block(options).leaves, Bytes{});
  options.recompute = {.parts = parts_of({Part::norm})};
  options.offloaded.reset();
  options.offloaded.set(static_cast<size_t>(OffloadedInput::projections));
  EXPECT_EQ(block(options).leaves, Bytes{});
}

}  // namespace
}  // namespace pipewright::test::kept_formats
