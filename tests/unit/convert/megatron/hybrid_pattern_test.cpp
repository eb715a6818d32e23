#include "convert/megatron/hybrid_pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pipewright::megatron {
namespace {

TEST(MegatronHybridPattern, has_layers_stages_and_modules) {
  const auto pattern = read_hybrid_pattern("M-M-|M*EG/*E/*E");
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->layers, "M-M-M*EG");
  EXPECT_EQ(pattern->stages, (std::vector<int>{4, 4}));
  EXPECT_EQ(pattern->module, "*E");
  EXPECT_EQ(pattern->modules, 2);
  EXPECT_TRUE(read_hybrid_pattern("MM*")->stages.empty());
  EXPECT_EQ(read_hybrid_pattern("MM*/")->modules, 0);
}

TEST(MegatronHybridPattern, another_text_is_none) {
  for (const char* text : {"", "|", "MX", "[M*]", "M/*/M", "M//", "M/|", "M M"})
    EXPECT_FALSE(read_hybrid_pattern(text)) << text;
  EXPECT_FALSE(read_hybrid_pattern(std::string(1'000'000, 'M')));
}

// The comments of pattern_from_ratios: attention between sections of Mamba that are alike, and
// MLPs in what is left.
TEST(MegatronHybridPattern, shares_are_spread_evenly) {
  EXPECT_EQ(pattern_of_shares(4, 0, 0), "MMMM");
  EXPECT_EQ(pattern_of_shares(3, 0.33, 0), "M*M");
  EXPECT_EQ(pattern_of_shares(4, 0.25, 0), "MM*M");
  EXPECT_EQ(pattern_of_shares(4, 0, 0.5), "M-M-");
}

TEST(MegatronHybridPattern, shares_have_their_counts) {
  for (int64_t layers = 4; layers <= 96; layers += 4)
    for (const double attention : {0.0, 0.08, 0.25, 0.5})
      for (const double mlp : {0.0, 0.25, 0.5}) {
        const std::string pattern = pattern_of_shares(layers, attention, mlp);
        const auto count = static_cast<double>(layers);
        EXPECT_EQ(std::ranges::count(pattern, '*'), std::nearbyint(count * attention)) << pattern;
        EXPECT_EQ(std::ranges::count(pattern, '-'), std::nearbyint(count * mlp)) << pattern;
      }
}

}  // namespace
}  // namespace pipewright::megatron
