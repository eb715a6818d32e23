// precision: a word, fp8 with its recipe, or what products cast to under torch.autocast.
#include <gtest/gtest.h>

#include "config/emit.hpp"
#include "error_of.hpp"
#include "experiment/derived.hpp"
#include "experiment/resolved_document.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

Experiment of_precision(const std::string& precision) {
  return read_experiment(small_gpt("schedule: 1f1b\nprecision: " + precision + "\n"));
}

TEST(Precision, under_autocast_weights_are_in_fp32) {
  const Experiment e = of_precision("{autocast: fp16}");
  EXPECT_EQ(e.precision, DType::fp16);
  EXPECT_TRUE(e.autocast);
  EXPECT_EQ(weight_dtype(e), DType::fp32);
  EXPECT_EQ(e.gradients, DType::fp32);
  const Experiment plain = of_precision("fp16");
  EXPECT_FALSE(plain.autocast);
  EXPECT_EQ(weight_dtype(plain), DType::fp16);
  EXPECT_EQ(plain.gradients, DType::fp16);
}

TEST(Precision, a_map_says_one_of_two) {
  EXPECT_EQ(of_precision("{fp8: tensorwise}").precision, DType::fp8);
  const auto error = [](const char* precision) {
    return error_of([&] { of_precision(precision); });
  };
  EXPECT_NE(error("{amax: tensor}").find("a map with 'fp8' or 'autocast'"), std::string::npos);
  EXPECT_NE(error("{autocast: bf16, amax: tensor}").find("means nothing beside 'autocast'"),
            std::string::npos);
  EXPECT_NE(error("{autocast: fp8}").find("fp8"), std::string::npos);
}

// The classes of transformer_engine.common.recipe.
TEST(Precision, recipes_have_the_names_of_their_classes) {
  for (const auto& [theirs, ours] : {std::pair("DelayedScaling", "{fp8: delayed}"),
                                     {"Float8CurrentScaling", "{fp8: tensorwise}"},
                                     {"Float8BlockScaling", "{fp8: blockwise}"},
                                     {"MXFP8BlockScaling", "{fp8: mxfp8}"},
                                     {"NVFP4BlockScaling", "nvfp4"}}) {
    const Experiment a = of_precision(theirs), b = of_precision(ours);
    EXPECT_EQ(a.precision, b.precision) << theirs;
    EXPECT_EQ(a.scaling, b.scaling) << theirs;
  }
}

// Other tools have a word for fp8, and none for the map.
TEST(Precision, a_recipe_resolves_to_what_it_stands_for) {
  const auto resolved = [](const std::string& precision) {
    return config::to_yaml(*resolved_document(of_precision(precision)).find("precision"));
  };
  EXPECT_EQ(resolved("DelayedScaling"), resolved("fp8"));
  EXPECT_EQ(resolved("MXFP8BlockScaling"), resolved("{fp8: mxfp8}"));
  EXPECT_EQ(resolved("NVFP4BlockScaling"), resolved("nvfp4"));
  EXPECT_EQ(resolved("{fp8: delayed}"), resolved("fp8"));
  EXPECT_NE(resolved("{fp8: delayed, amax: tensor}"), resolved("fp8"));
}

TEST(Precision, a_recipe_alone_says_where_it_belongs) {
  for (const std::string word : {"delayed", "tensorwise", "blockwise", "mxfp8"})
    EXPECT_NE(error_of([&] { of_precision(word); }).find("did you mean '{fp8: " + word + "}'?"),
              std::string::npos)
        << word;
}

// peft's autocast_adapter_dtype.
TEST(Precision, adapters_of_plain_pytorch_are_in_fp32_beside_16_bits) {
  const auto wide = [](const std::string& rest) {
    return has_wide_adapters(read_experiment(small_gpt("schedule: 1f1b\n" + rest)));
  };
  EXPECT_TRUE(wide("framework: torch\nadapters: 8\n"));
  EXPECT_FALSE(wide("framework: torch\n"));
  EXPECT_FALSE(wide("framework: megatron\nadapters: 8\n"));
  EXPECT_TRUE(wide("framework: megatron\nadapters: {rank: 8, format: fp32}\n"));
  EXPECT_FALSE(wide("framework: torch\nadapters: {rank: 8, format: as-computed}\n"));
  EXPECT_FALSE(wide("framework: torch\nadapters: 8\nprecision: {autocast: bf16}\n"));
}

}  // namespace
}  // namespace pipewright::test
