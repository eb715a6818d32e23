// Multi-token prediction by hand: h = 64, V = 100.
#include <gtest/gtest.h>

#include "transformers.hpp"

namespace pipewright {
namespace {

using namespace test;

std::vector<Layer> model(const std::string& more) {
  return layers_of(transformer("{layers: 2, hidden: 64, heads: 4, vocabulary: 100, bias: false, "
                               "norm: rmsnorm, tied_embeddings: false" +
                               more + "}"),
                   {.sequence = 32});
}

// Each module has a product of 2 h by h, a block, and three norms beside the block's own.
TEST(Prediction, a_module_is_a_projection_a_block_and_norms) {
  const auto plain = model(""), one = model(", predict: 1"), two = model(", predict: 2");
  const double module = 2 * 64 * 64 + plain[1].parameters + 3 * 64;
  EXPECT_DOUBLE_EQ(one.back().parameters - plain.back().parameters, module);
  EXPECT_DOUBLE_EQ(two.back().parameters - plain.back().parameters, 2 * module);
}

// Its logits are the head's product again.
TEST(Prediction, a_module_computes_logits_by_the_head_s_weights) {
  const auto plain = model(""), one = model(", predict: 1");
  EXPECT_DOUBLE_EQ(one.back().model_flops - plain.back().model_flops,
                   2 * 32 * 2 * 64 * 64 + plain[1].model_flops + 2 * 32 * 64 * 100);
}

TEST(Prediction, its_stage_holds_a_copy_of_the_embedding) {
  EXPECT_DOUBLE_EQ(model("").back().tied.device_parameters, 0);
  EXPECT_DOUBLE_EQ(model(", predict: 1").back().tied.device_parameters, 64 * 100);
}

// Logits that pass through a tanh are one more pass each way, unless the loss is fused.
TEST(Prediction, capped_logits_are_one_more_kernel) {
  EXPECT_EQ(kernels(model(", logit_cap: true").back().forward),
            kernels(model("").back().forward) + 1);
}

}  // namespace
}  // namespace pipewright
