// Alternating streams and learned residuals by hand: h = 64, n = 4 streams, a rank of 8.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"

namespace pipewright::test::altup {
namespace {

constexpr double h = 64, n = 4, r = 8, tokens = 2 * 64;

std::vector<Layer> model(const std::string& more) {
  WorkloadOptions options;
  options.micro_batch = 2;
  options.sequence = 64;
  return layers_of(transformer("{layers: 2, hidden: 64, heads: 4, vocabulary: 100, bias: false, "
                               "norm: rmsnorm, positions: rope, norms: both" +
                               more + "}"),
                   options);
}

const std::string alternating = ", streams: 4, alternating: true";

// A norm and a product to n numbers, which two products make n n and n weights; h numbers scale the
// first stream. In front and behind stand n - 1 products of h h.
TEST(Altup, has_the_parameters_of_Gemma_3n) {
  const std::vector<Layer> plain = model(""), streams = model(alternating);
  EXPECT_DOUBLE_EQ(streams[1].parameters - plain[1].parameters, h + h * n + n * n * n + n * n + h);
  EXPECT_DOUBLE_EQ(streams[0].parameters - plain[0].parameters, (n - 1) * h * h);
  EXPECT_DOUBLE_EQ(streams.back().parameters - plain.back().parameters, (n - 1) * h * h);
}

// The product to n numbers runs twice, the blocks' own products once for all streams.
TEST(Altup, one_stream_passes_through_the_block) {
  EXPECT_DOUBLE_EQ(
      flops({model(alternating)[1]}, &Layer::forward) - flops({model("")[1]}, &Layer::forward),
      2 * 2 * tokens * h * n);
}

TEST(Altup, all_streams_go_from_block_to_block) {
  EXPECT_EQ(model(alternating)[1].output.count, static_cast<int64_t>(n * tokens * h * 2));
}

// Two products and a norm.
TEST(Altup, a_learned_residual_has_a_low_rank) {
  const Layer plain = model("")[1], learned = model(", laurel: 8")[1];
  EXPECT_DOUBLE_EQ(learned.parameters - plain.parameters, 2 * h * r + h);
  EXPECT_DOUBLE_EQ(flops({learned}, &Layer::forward) - flops({plain}, &Layer::forward),
                   2 * tokens * 2 * h * r);
}

TEST(Altup, needs_several_streams) {
  EXPECT_NE(error_of([] {
              model(", alternating: true");
            }).find("'alternating' needs the key 'streams' with more than 1"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test::altup
