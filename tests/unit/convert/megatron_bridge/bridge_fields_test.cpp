#include "convert/megatron_bridge/bridge_fields.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

std::string fields_of_bridge(std::string_view name) {
  std::string text;
  for (const auto& [field, value] : megatron_bridge::bridge_fields(name))
    text += std::string(field) + '=' + std::string(value) + ' ';
  return text;
}

// models/qwen/qwen3_moe_bridge.py and models/deepseek/deepseek_v3_bridge.py.
TEST(MegatronBridgeFields, a_bridge_says_how_tokens_are_sent) {
  EXPECT_EQ(fields_of_bridge("Qwen/Qwen3-30B-A3B"), "moe_token_dispatcher_type=alltoall ");
  EXPECT_EQ(fields_of_bridge("deepseek-ai/DeepSeek-V3-Base"),
            "moe_token_dispatcher_type=alltoall moe_shared_expert_overlap=true ");
}

TEST(MegatronBridgeFields, a_bridge_that_is_not_known_says_nothing) {
  EXPECT_EQ(fields_of_bridge("meta-llama/Meta-Llama-3-8B"), "");
  EXPECT_EQ(fields_of_bridge(""), "");
}

}  // namespace
}  // namespace pipewright::test
