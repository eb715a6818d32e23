#include "workload/transformer/attention_shape.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright {
namespace {

using namespace test;

TransformerShape with(const std::string& more) {
  return transformer("{layers: 2, hidden: 64, heads: 4, vocabulary: 100, " + more + "}");
}

TEST(AttentionShape, is_plain_unless_something_rare_is_said) {
  EXPECT_TRUE(with("window: 8").attention.is_plain());
  EXPECT_TRUE(with("attention: {norm: none}").attention.is_plain());
  for (const char* rare : {"norm: head", "bias: inputs", "sinks: true", "gate: true",
                           "soft_cap: true", "local_positions: true"})
    EXPECT_FALSE(with(std::string("attention: {") + rare + "}").attention.is_plain()) << rare;
}

TEST(AttentionShape, an_indexer_needs_low_rank_queries) {
  EXPECT_EQ(error_of([] { with("attention: {indexer: {heads: 2, head_dim: 8, keys: 4}}"); }),
            "model.yaml:1:73: error: an indexer reads low-rank queries: it needs 'latent' with a "
            "'query'");
}

TEST(AttentionShape, a_choice_that_is_not_known_is_told) {
  const std::string error = error_of([] { with("attention: {norm: heads}"); });
  EXPECT_NE(error.find("none, head, width"), std::string::npos) << error;
}

// h = 64, a = 4 heads of d = 16, k = 2: queries, keys and values have (a + 2k) d biases, the output
// h; a gate doubles the queries; norms have 2 d gains, or (a + k) d; sinks are a.
TEST(AttentionShape, its_parts_have_the_parameters_of_the_hand_count) {
  constexpr double h = 64, a = 4, k = 2, d = 16;
  const auto block = [](const std::string& attention) {
    return layers_of(with("kv_heads: 2, bias: false, attention: {" + attention + "}"),
                     {.sequence = 32})[1]
        .parameters;
  };
  const double plain = block("");
  EXPECT_DOUBLE_EQ(plain, h * (a + 2 * k) * d + a * d * h + 2 * h * 256 + 4 * h);
  EXPECT_DOUBLE_EQ(block("bias: inputs") - plain, (a + 2 * k) * d);
  EXPECT_DOUBLE_EQ(block("bias: all") - plain, (a + 2 * k) * d + h);
  EXPECT_DOUBLE_EQ(block("gate: true") - plain, h * a * d);
  EXPECT_DOUBLE_EQ(block("norm: head") - plain, 2 * d);
  EXPECT_DOUBLE_EQ(block("norm: width") - plain, (a + k) * d);
  EXPECT_DOUBLE_EQ(block("norm: unit") - plain, 0);
  EXPECT_DOUBLE_EQ(block("sinks: true") - plain, a);
}

}  // namespace
}  // namespace pipewright
