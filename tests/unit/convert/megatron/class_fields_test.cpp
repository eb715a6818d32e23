#include "convert/megatron/class_fields.hpp"

#include <gtest/gtest.h>

#include <string>

namespace pipewright::megatron {
namespace {

std::string fields_of(std::string_view name) {
  std::string text;
  for (const ClassField& one : class_fields(name))
    text += std::string(one.field) + "=" + std::string(one.value) + " ";
  return text;
}

TEST(MegatronClassFields, mixtures_send_tokens_as_their_class_says) {
  EXPECT_EQ(fields_of("MixtralConfig8x7B"), "moe_token_dispatcher_type=alltoall ");
  EXPECT_EQ(fields_of("Qwen3MoEModelProvider30B_A3B"), "moe_token_dispatcher_type=alltoall ");
  EXPECT_EQ(fields_of("Llama3ModelProvider8B"), "");
  EXPECT_EQ(fields_of(""), "");
}

TEST(MegatronClassFields, shared_experts_of_deepseek_run_beside_the_exchange) {
  for (const char* name : {"DeepSeekV3ModelProvider", "DeepSeekV2LiteConfig"})
    EXPECT_EQ(
        fields_of(name),
        "moe_token_dispatcher_type=alltoall moe_shared_expert_overlap=true mtp_num_layers=0 ");
}

}  // namespace
}  // namespace pipewright::megatron
