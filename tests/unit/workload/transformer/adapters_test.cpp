// arXiv 2106.09685: beside W of in x out stand A of in x r and B of r x out, trained alone.
#include "workload/transformer/adapters.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright {
namespace {

using namespace test;

constexpr double h = 256, kv = 128, f = 512, r = 8, n = 64;
// Of the four products: queries, keys and values; their output; gate and up; down.
constexpr double in_and_out = (h + h + 2 * kv) + (h + h) + (h + 2 * f) + (f + h);

TransformerShape llama(const std::string& more = "") {
  return test::transformer(
      "{layers: 2, hidden: 256, heads: 8, kv_heads: 4, ffn: 512, gated: true, vocabulary: 1000, "
      "positions: rope, norm: rmsnorm, bias: false, tied_embeddings: false" +
      more + "}");
}

std::vector<Layer> adapted(int64_t rank, int64_t tensor = 1, const std::string& more = "") {
  return layers_of(llama(more), {.sequence = 64, .tensor = tensor, .adapter_rank = rank});
}

TEST(Adapters, each_product_of_a_block_gets_two) {
  const Layer plain = adapted(0)[1], layer = adapted(8)[1];
  EXPECT_DOUBLE_EQ(layer.parameters - plain.parameters, r * in_and_out);
  EXPECT_DOUBLE_EQ(layer.trained.value_or(-1), r * in_and_out);
  EXPECT_FALSE(plain.trained.has_value());
  EXPECT_DOUBLE_EQ(layer.device_parameters, layer.parameters);
}

TEST(Adapters, only_they_have_weight_gradients) {
  const std::vector<Layer> plain = adapted(0), layers = adapted(8);
  const double adapters = 2 * n * r * in_and_out;
  EXPECT_DOUBLE_EQ(flops(layers[1].weight_gradient), adapters);
  EXPECT_DOUBLE_EQ(flops(layers[1].forward) - flops(plain[1].forward), adapters);
  EXPECT_DOUBLE_EQ(flops(layers[1].input_gradient) - flops(plain[1].input_gradient), adapters);
}

TEST(Adapters, embedding_and_head_are_frozen) {
  for (const Layer& layer : {adapted(8).front(), adapted(8).back()}) {
    EXPECT_EQ(layer.trained, 0) << layer.name;
    EXPECT_EQ(kernels(layer.weight_gradient), 0u) << layer.name;
  }
}

TEST(Adapters, what_is_between_the_two_is_kept) {
  const double kept = 2 * n * r * 4;  // of four products, in bf16
  EXPECT_DOUBLE_EQ(static_cast<double>((adapted(8)[1].stash - adapted(0)[1].stash).count), kept);
}

// peft's stand beside each of Llama's seven products, in fp32: A of queries, keys and values and of
// gate and up thrice and twice. Each reads a copy of its input in 4 B, beside which norms and the
// gate keep none in 2 B.
TEST(Adapters, in_fp32_each_of_plain_pytorch_s_products_has_its_own) {
  WorkloadOptions options{.sequence = 64, .adapter_rank = 8, .wide_adapters = true};
  options.kernels.operators = Operators::eager;
  const Layer wide = layers_of(llama(), options)[1];
  options.wide_adapters = false;
  const Layer narrow = layers_of(llama(), options)[1];
  EXPECT_DOUBLE_EQ(*wide.trained - *narrow.trained, r * (2 * h + h));
  EXPECT_DOUBLE_EQ(wide.device_parameters - narrow.device_parameters, r * (2 * h + h));
  const double inputs = 3 * h + h + 2 * h + f;
  // Four products in 16 bits have their low ranks between them, now seven in fp32.
  EXPECT_DOUBLE_EQ(static_cast<double>((wide.stash - narrow.stash).count),
                   4 * n * inputs + (4 * 7 - 2 * 4) * n * r - 2 * n * (2 * h + f));
}

// A column-parallel product cuts B, a row-parallel one A.
TEST(Adapters, tensor_ranks_cut_one_of_the_two) {
  const double whole = h + h + h + h;
  const double cut = ((h + 2 * kv) + h + 2 * f + f) / 2;
  EXPECT_DOUBLE_EQ(adapted(8, 2)[1].trained.value_or(-1), r * (whole + cut));
}

constexpr const char* experts = ", experts: {count: 4, active: 2, ffn: 64}";
constexpr double of_attention = (h + h + 2 * kv) + (h + h);
/// Of an expert's two products: gate and up; down.
constexpr double of_expert = (h + 2 * 64) + (64 + h);

Layer with_experts(ExpertAdapters form, int64_t expert = 1) {
  return layers_of(
      llama(experts),
      {.sequence = 64, .expert = expert, .adapter_rank = 8, .expert_adapters = form})[1];
}

TEST(Adapters, routed_experts_have_none) {
  const Layer layer = adapted(8, 1, experts)[1];
  EXPECT_DOUBLE_EQ(layer.trained.value_or(-1), r * of_attention);
}

// One for the products of all of a device's experts, or one for each expert.
TEST(Adapters, routed_experts_have_theirs_where_that_is_asked) {
  const double none = with_experts(ExpertAdapters::none, 2).parameters;
  const Layer shared = with_experts(ExpertAdapters::shared, 2);
  EXPECT_DOUBLE_EQ(shared.trained.value_or(-1), r * (of_attention + of_expert));
  EXPECT_DOUBLE_EQ(shared.trained_experts, r * of_expert);
  EXPECT_DOUBLE_EQ(shared.parameters - none, 2 * r * of_expert);  // two devices have one
  const Layer each = with_experts(ExpertAdapters::each, 2);
  EXPECT_DOUBLE_EQ(each.trained_experts, 2 * r * of_expert);  // two experts on a device
  EXPECT_DOUBLE_EQ(each.parameters - none, 4 * r * of_expert);
}

// Both run over all rows: 2 of 4 experts a token.
TEST(Adapters, rows_of_experts_pass_through_their_adapters) {
  const double none = flops(with_experts(ExpertAdapters::none).forward);
  for (const ExpertAdapters form : {ExpertAdapters::shared, ExpertAdapters::each})
    EXPECT_DOUBLE_EQ(flops(with_experts(form).forward) - none, 2 * (2 * n) * r * of_expert);
}

// Two kernels more a product, of which each makes its weights 16 bits: 1 + 2 bytes each.
TEST(Adapters, frozen_weights_may_be_stored_in_8_or_4_bits) {
  const auto stored = [](StoredWeights format) {
    return layers_of(llama(), {.sequence = 64, .adapter_rank = 8, .stored = format})[1];
  };
  const Layer plain = stored(StoredWeights::as_computed), narrow = stored(StoredWeights::int8);
  EXPECT_EQ(kernels(narrow.forward) - kernels(plain.forward), 4u);
  EXPECT_EQ(kernels(narrow.input_gradient) - kernels(plain.input_gradient), 4u);
  EXPECT_DOUBLE_EQ(narrow.narrow_parameters, h * (h + 2 * kv) + h * h + 3 * h * f);
  EXPECT_DOUBLE_EQ(plain.narrow_parameters, 0);
  EXPECT_NE(error_of([] {
              layers_of(llama(), {.sequence = 64, .stored = StoredWeights::nf4});
            }).find("for weights that are not trained"),
            std::string::npos);
}

TEST(Adapters, need_tensor_ranks_in_a_line) {
  WorkloadOptions options{.sequence = 64, .tensor = 4, .adapter_rank = 8};
  options.tensor_grid = {.kind = TensorKind::square, .sides = {2, 2, 1}};
  EXPECT_NE(error_of([&] { layers_of(llama(), options); }).find("tensor ranks in a line"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright
