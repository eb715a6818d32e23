#include "convert/megatron_bridge/packaged_recipes.hpp"

#include <gtest/gtest.h>

#include "convert/megatron_bridge/hugging_face_names.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronBridgePackaged, those_of_llama_are_known) {
  const auto text = megatron_bridge::packaged_recipes("megatron/bridge/recipes/llama/llama3.py");
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("def llama31_405b_pretrain_config("), std::string::npos);
  EXPECT_FALSE(megatron_bridge::packaged_recipes("megatron/bridge/recipes/qwen/qwen3.py"));
}

// recipes/utils/optimizer_utils.py: Adam whose state replicas share out.
TEST(MegatronBridgePackaged, optimizers_are_known) {
  const auto text =
      megatron_bridge::packaged_recipes("megatron/bridge/recipes/utils/optimizer_utils.py");
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("def distributed_fused_adam_with_cosine_annealing("), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
