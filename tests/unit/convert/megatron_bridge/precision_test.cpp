#include "convert/megatron_bridge/precision.hpp"

#include <gtest/gtest.h>

namespace pipewright::megatron_bridge {
namespace {

std::string typed(const std::string& name) {
  std::vector<job::Word> words;
  if (!add_precision(name, "mixed_precision", {"r.yaml", 1, 1}, words)) return "none";
  std::string text;
  for (const job::Word& word : words) text += (text.empty() ? "" : " ") + word.text;
  return text;
}

TEST(MegatronBridgePrecision, recipes_are_arguments) {
  EXPECT_EQ(typed("bf16_mixed"), "--bf16");
  EXPECT_EQ(typed("fp16-mixed"), "--fp16");
  EXPECT_EQ(typed("bf16_with_mxfp8_mixed"),
            "--bf16 --fp8-format e4m3 --fp8-recipe mxfp8 --fp8-param-gather");
  EXPECT_EQ(typed("bf16_with_nvfp4_mixed"), "--bf16 --fp4-format e2m1");
  EXPECT_EQ(typed("bf16_with_fp8_current_scaling_mixed"),
            "--bf16 --fp8-format hybrid --fp8-recipe tensorwise --fp8-param-gather "
            "--first-last-layers-bf16");
  EXPECT_EQ(typed("bf16_with_magic"), "none");
  EXPECT_EQ(typed("mixed"), "none");
}

// mixed_precision.py: fp16_mixed() reduces gradients in fp16, the others in fp32.
TEST(MegatronBridgePrecision, names_are_found_again) {
  const auto name = [](const std::string& fields, bool is_wide) {
    return name_of(config::parse(fields, "f.yaml"), is_wide);
  };
  EXPECT_EQ(name("{bf16: true}", true), "bf16_mixed");
  EXPECT_EQ(name("{bf16: true}", false), "");
  EXPECT_EQ(name("{fp16: true}", false), "fp16_mixed");
  EXPECT_EQ(name("{fp16: true}", true), "");
  EXPECT_EQ(name("{bf16: true, fp8: hybrid, fp8_recipe: delayed, fp8_param_gather: true}", true),
            "bf16_with_fp8_delayed_scaling_mixed");
  EXPECT_EQ(name("{bf16: true, fp8: hybrid, fp8_recipe: delayed}", true), "");
  EXPECT_EQ(name("{bf16: true, fp8: hybrid, fp8_recipe: tensorwise}", true), "");
  EXPECT_EQ(name("{bf16: true, fp4: e2m1, fp4_recipe: nvfp4}", true), "bf16_with_nvfp4_mixed");
  EXPECT_TRUE(reduces_in_fp32("bf16_mixed"));
  EXPECT_FALSE(reduces_in_fp32("fp16-mixed"));
}

}  // namespace
}  // namespace pipewright::megatron_bridge
