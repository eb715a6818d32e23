// torch.autocast: weights in fp32 that products cast, norms and the stream in fp32.
#include "workload/transformer/autocast.hpp"

#include <gtest/gtest.h>

#include "transformers.hpp"

namespace pipewright {
namespace {

using namespace test;
using namespace transformer;

// A block small enough to reckon by hand: n = 2 x 128 tokens, h = 64, f = 256.
constexpr double n = 2 * 128, h = 64, f = 256, nh = n * h;

WorkloadOptions options_of(bool autocast, Operators operators = Operators::eager) {
  WorkloadOptions options{.micro_batch = 2, .sequence = 128, .autocast = autocast};
  options.kernels.operators = operators;
  return options;
}

double bytes(const Segments& segments) {
  double sum = 0;
  for (const Segment& segment : segments)
    for (const Work& work : segment.kernels)
      sum += static_cast<double>((work.read + work.written).count);
  return sum;
}

double singles(const Segments& segments) {
  double sum = 0;
  for (const Segment& segment : segments)
    for (const Work& work : segment.kernels) sum += work.singles;
  return sum;
}

/// What a block moves, keeps and handles one by one more under autocast.
struct More {
  double forward, input_gradient, weight_gradient, kept;
  double forward_singles, backward_singles;
};

More more(const TransformerShape& shape, Operators operators = Operators::eager) {
  const Layer plain = layers_of(shape, options_of(false, operators))[1];
  const Layer cast = layers_of(shape, options_of(true, operators))[1];
  EXPECT_EQ(flops(cast.forward), flops(plain.forward));
  EXPECT_EQ(flops(cast.input_gradient), flops(plain.input_gradient));
  EXPECT_EQ(flops(cast.weight_gradient), flops(plain.weight_gradient));
  EXPECT_EQ(cast.parameters, plain.parameters);
  return {bytes(cast.forward) - bytes(plain.forward),
          bytes(cast.input_gradient) - bytes(plain.input_gradient),
          bytes(cast.weight_gradient) - bytes(plain.weight_gradient),
          static_cast<double>((cast.stash - plain.stash).count),
          singles(cast.forward) - singles(plain.forward),
          singles(cast.input_gradient) - singles(plain.input_gradient)};
}

TransformerShape llama() {
  TransformerShape shape = gpt(3, 64, 4, 512);
  shape.norm = Norm::rmsnorm;
  shape.gated = true;
  shape.bias = shape.dropout = false;
  shape.positions = Positions::rope;
  return shape;
}

// Forward: two norms 8 B in place of 4, two sums 14 of 10, two casts of what products read 6, 12
// h^2 weights cast 6. Backward: norms 20 of 10, sums of gradients 12 of 6, the branches' gradients
// cast 6, those of two products 6. A gradient of weights is written in 2 and cast, 6, in place of 8
// where it is added to. Kept: two streams 2 more, the weights' casts 2.
TEST(Autocast, a_gpt_casts_weights_and_what_follows_norms) {
  const More moved = more(gpt(3, 64, 4, 512));
  const double weights = 12 * h * h;
  EXPECT_DOUBLE_EQ(moved.forward, (2 * 4 + 2 * 4 + 2 * 6) * nh + 6 * weights);
  EXPECT_DOUBLE_EQ(moved.input_gradient, (2 * 10 + 2 * 6 + 2 * 6 + 2 * 6) * nh);
  EXPECT_DOUBLE_EQ(moved.weight_gradient, 0);
  EXPECT_DOUBLE_EQ(moved.kept, 2 * 2 * nh + 2 * weights);
  EXPECT_DOUBLE_EQ(moved.forward_singles, 2 * nh);
  EXPECT_DOUBLE_EQ(moved.backward_singles, 2 * nh);
}

// Forward: norms 28 B in place of 36, sums 10 of 6, five casts of inputs 6, rotation of queries and
// keys 36 of 20. Backward: sums of gradients 12 of 6, branches 6, five casts 6, of three and of two
// gradients the sums 2 x 12 and 12, in place of 12 for joined ones; rotation 60 of 34. Kept:
// streams 2 more, norms 2 less, a cast for each further product 2.
TEST(Autocast, a_llama_casts_for_each_product) {
  const More moved = more(llama());
  const double weights = 4 * h * h + 3 * h * f;
  EXPECT_DOUBLE_EQ(moved.forward, (-2 * 8 + 2 * 4 + 5 * 6 + 2 * 16) * nh + 6 * weights);
  EXPECT_DOUBLE_EQ(moved.input_gradient, (2 * 6 + 2 * 6 + 5 * 6 + 3 * 12 - 12 + 2 * 26) * nh);
  EXPECT_DOUBLE_EQ(moved.kept, (2 * 2 - 2 * 2 + 3 * 2) * nh + 2 * weights);
}

// Compiled kernels cast what they write: norms 6 B in place of 4, sums 10 of 6. The mask is one
// byte either way.
TEST(Autocast, compiled_kernels_write_what_products_read) {
  const More moved = more(gpt(3, 64, 4, 512), Operators::fused);
  EXPECT_DOUBLE_EQ(moved.forward, (2 * 2 + 2 * 4) * nh + 6 * 12 * h * h);
  EXPECT_EQ(moved.forward_singles, 0);
}

// Half of it is kept anyway: a block that runs again casts its weights anew.
TEST(Autocast, blocks_that_run_again_keep_the_stream_alone) {
  WorkloadOptions plain = options_of(false), cast = options_of(true);
  plain.recompute.block = cast.recompute.block = true;
  const Layer small = layers_of(llama(), plain)[1], large = layers_of(llama(), cast)[1];
  EXPECT_EQ(large.stash, 2 * small.stash);
  EXPECT_DOUBLE_EQ(bytes(large.recompute), bytes(large.forward));
}

// The product behind eight operators in fp32 casts what they give.
TEST(Autocast, a_gelu_of_operators_ends_in_fp32) {
  TransformerShape shape = gpt(3, 64, 4, 512);
  const WorkloadOptions options = options_of(true);
  EXPECT_FALSE(activates_wide(make_share(shape, options, {})));
  const More one = more(shape);
  shape.activation = Activation::gelu_new;
  EXPECT_TRUE(activates_wide(make_share(shape, options, {})));
  const More eight = more(shape);
  // 5 x 2 + 15 x 4 bytes in place of 18 x 2, and the cast; 12 x 2 + 22 x 4 of 28 x 2, and the cast.
  EXPECT_DOUBLE_EQ(eight.forward - one.forward, (70 - 36 + 6) * n * f);
  EXPECT_DOUBLE_EQ(eight.input_gradient - one.input_gradient, (112 - 56 + 6) * n * f);
  EXPECT_DOUBLE_EQ(eight.kept - one.kept, (12 - 6) * n * f);
}

TEST(Autocast, layer_norms_in_decoders_tell_joined_projections) {
  const TransformerShape shape = gpt(3, 64, 4, 512), other = llama();
  const WorkloadOptions options = options_of(true);
  EXPECT_EQ(projection_readers(make_share(shape, options, {})), 1);
  EXPECT_EQ(projection_readers(make_share(other, options, {})), 3);
  EXPECT_EQ(gate_readers(make_share(shape, options, {})), 1);
  EXPECT_EQ(gate_readers(make_share(other, options, {})), 2);
}

}  // namespace
}  // namespace pipewright
