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

// A column-parallel product cuts B, a row-parallel one A.
TEST(Adapters, tensor_ranks_cut_one_of_the_two) {
  const double whole = h + h + h + h;
  const double cut = ((h + 2 * kv) + h + 2 * f + f) / 2;
  EXPECT_DOUBLE_EQ(adapted(8, 2)[1].trained.value_or(-1), r * (whole + cut));
}

TEST(Adapters, routed_experts_have_none) {
  const Layer layer = adapted(8, 1, ", experts: {count: 4, active: 2, ffn: 64}")[1];
  EXPECT_DOUBLE_EQ(layer.trained.value_or(-1), r * ((h + h + 2 * kv) + (h + h)));
}

TEST(Adapters, need_tensor_ranks_in_a_line) {
  WorkloadOptions options{.sequence = 64, .tensor = 4, .adapter_rank = 8};
  options.tensor_grid = {.kind = TensorKind::square, .sides = {2, 2, 1}};
  EXPECT_NE(error_of([&] { layers_of(llama(), options); }).find("tensor ranks in a line"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright
