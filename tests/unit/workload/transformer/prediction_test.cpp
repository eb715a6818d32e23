// Multi-token prediction by hand: h = 64, V = 100.
#include <gtest/gtest.h>

#include "transformers.hpp"

namespace pipewright::test {
namespace {

std::vector<Layer> predicting(const std::string& more) {
  return layers_of(transformer("{layers: 2, hidden: 64, heads: 4, vocabulary: 100, bias: false, "
                               "norm: rmsnorm, tied_embeddings: false" +
                               more + "}"),
                   {.sequence = 32});
}

const Layer& module_of(const std::vector<Layer>& layers) { return layers[layers.size() - 2]; }

// Each module has a product of 2 h by h, a block, and three norms beside the block's own.
TEST(Prediction, a_module_is_a_projection_a_block_and_norms) {
  const auto plain = predicting(""), one = predicting(", predict: 1"),
             two = predicting(", predict: 2");
  const double module = 2 * 64 * 64 + plain[1].parameters + 3 * 64;
  EXPECT_EQ(two.size(), plain.size() + 2);
  EXPECT_EQ(module_of(one).kind, LayerKind::prediction);
  EXPECT_DOUBLE_EQ(module_of(one).parameters, module);
  EXPECT_DOUBLE_EQ(parameters(two) - parameters(plain), 2 * module);
}

TEST(Prediction, a_module_computes_a_block_and_the_head_its_logits) {
  const auto plain = predicting(""), one = predicting(", predict: 1");
  EXPECT_DOUBLE_EQ(module_of(one).model_flops, 2 * 32 * 2 * 64 * 64 + plain[1].model_flops);
  EXPECT_DOUBLE_EQ(one.back().model_flops - plain.back().model_flops, 2 * 32 * 64 * 100);
}

TEST(Prediction, its_stage_holds_a_copy_of_the_embedding) {
  const auto one = predicting(", predict: 1");
  EXPECT_DOUBLE_EQ(module_of(one).tied.device_parameters, 64 * 100);
  EXPECT_DOUBLE_EQ(one.back().tied.device_parameters, 0);
}

// The stream of 32 tokens in 16 bits, and one more for each module before.
TEST(Prediction, a_module_hands_on_its_stream_beside_those_that_came) {
  const auto two = predicting(", predict: 2");
  EXPECT_EQ(two[two.size() - 3].output, Bytes{2 * 32 * 64 * 2});
  EXPECT_EQ(two[two.size() - 2].output, Bytes{3 * 32 * 64 * 2});
}

// Logits that pass through a tanh are one more pass each way, unless the loss is fused.
TEST(Prediction, capped_logits_are_one_more_kernel) {
  EXPECT_EQ(kernels(predicting(", logit_cap: true").back().forward),
            kernels(predicting("").back().forward) + 1);
}

}  // namespace
}  // namespace pipewright::test
