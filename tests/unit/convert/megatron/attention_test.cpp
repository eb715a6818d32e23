#include "convert/megatron/attention.hpp"

#include <gtest/gtest.h>

#include "flags_of.hpp"

namespace pipewright::test {
namespace {

std::string attention(const std::string& text, bool is_program = true) {
  return megatron::read_attention(*FlagsOf("--bf16 " + text).flags, is_program);
}

TEST(MegatronAttention, is_named_or_that_of_transformer_engine) {
  EXPECT_EQ(attention(""), "flash");
  EXPECT_EQ(attention("--attention-backend unfused"), "unfused");
  EXPECT_EQ(attention("--flash-attention-version 3"), "flash3");
  EXPECT_EQ(attention("--use-legacy-models"), "flash");
}

TEST(MegatronAttention, local_layers_are_unfused) {
  EXPECT_EQ(attention("--transformer-impl local"), "unfused");
  EXPECT_EQ(attention("--transformer-impl local --use-flash-attn --use-mcore-models"), "unfused");
  EXPECT_EQ(attention("--transformer-impl local --use-legacy-models"), "unfused");
  EXPECT_EQ(attention("--transformer-impl local --use-legacy-models --use-flash-attn"), "flash");
}

// --no-query-key-layer-scaling went in October 2023.
TEST(MegatronAttention, old_arguments_have_local_layers) {
  const std::string old = "--no-query-key-layer-scaling ";
  EXPECT_EQ(attention(old + "--use-flash-attn"), "flash");
  EXPECT_EQ(attention(old, false), "flash");
  FlagsOf given(old);
  EXPECT_EQ(megatron::read_attention(*given.flags, true), "unfused");
  ASSERT_EQ(given.import.assumed.size(), 1U);
  EXPECT_NE(given.import.assumed[0].find("2023-10"), std::string::npos);
}

// validate_args ends since May 2023 where it finds --checkpoint-activations, which it still knows.
TEST(MegatronAttention, arguments_that_end_a_training_of_today_are_old) {
  EXPECT_EQ(attention("--checkpoint-activations"), "unfused");
  EXPECT_EQ(attention("--checkpoint-activations --use-flash-attn"), "flash");
}

// Transformer Engine has no fused kernel of fp32.
TEST(MegatronAttention, in_fp32_is_unfused) {
  EXPECT_EQ(megatron::read_attention(*FlagsOf("").flags, true), "unfused");
  EXPECT_EQ(megatron::read_attention(*FlagsOf("--fp16").flags, true), "flash");
}

TEST(MegatronAttention, is_what_variables_leave) {
  EXPECT_EQ(megatron::read_attention(*FlagsOf("--bf16").flags, true, "unfused"), "unfused");
  EXPECT_EQ(
      megatron::read_attention(*FlagsOf("--bf16 --attention-backend flash").flags, true, "unfused"),
      "flash");
}

}  // namespace
}  // namespace pipewright::test
