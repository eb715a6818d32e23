#include "convert/megatron/precision.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

config::Value precision_of(const std::string& text) {
  FlagsOf given(text);
  return megatron::read_precision(*given.flags);
}

TEST(MegatronPrecision, fp8_has_its_recipe) {
  EXPECT_EQ(precision_of("--bf16").text, "bf16");
  EXPECT_EQ(precision_of("").text, "fp32");
  EXPECT_EQ(precision_of("--bf16 --fp8-format hybrid").text, "fp8");
  EXPECT_EQ(at(precision_of("--bf16 --fp8-format e4m3 --fp8-recipe blockwise"), {"fp8"}),
            "blockwise");
  EXPECT_EQ(at(precision_of("--bf16 --fp8-hybrid --tp-only-amax-red"), {"amax"}), "tensor");
  EXPECT_EQ(precision_of("--bf16 --fp4-format e2m1").text, "nvfp4");
}

TEST(MegatronPrecision, a_recipe_that_is_not_modelled_is_refused) {
  const std::string error =
      error_of([] { precision_of("--fp8-format e4m3 --fp8-recipe sideways"); });
  EXPECT_NE(error.find("tensorwise"), std::string::npos) << error;
}

}  // namespace
}  // namespace pipewright::test
