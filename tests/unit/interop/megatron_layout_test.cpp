#include "interop/megatron_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

MegatronLayout layout_in(const char* text) { return read_megatron_layout(text, {"a.sh", 1, 5}); }

TEST(MegatronLayout, a_stage_has_its_layers) {
  EXPECT_EQ(layout_in("Et*3|tt|L").layers, (std::vector<int64_t>{3, 2, 0}));
}

// The example of Megatron-LM's help: 3 + 29 x 2 layers and a stage with the loss alone.
TEST(MegatronLayout, groups_repeat) {
  const MegatronLayout layout = layout_in("Et*3|(tt|)*29,m|L");
  const std::vector<int64_t>& stages = layout.layers;
  ASSERT_EQ(stages.size(), 32u);
  EXPECT_EQ(stages[0], 3);
  for (int i = 1; i <= 29; ++i) EXPECT_EQ(stages[i], 2);
  EXPECT_EQ(stages[30], 0);
  EXPECT_EQ(stages[31], 0);
  EXPECT_EQ(layout.predictions[30], 1);
  EXPECT_TRUE(layout.predicts());
  EXPECT_FALSE(layout.predicts_with_loss());
  EXPECT_TRUE(layout_in("Ett|tmL").predicts_with_loss());
}

TEST(MegatronLayout, parts_come_in_the_order_of_the_model) {
  for (const char* wrong : {"tEt|L", "EtL|t", "Etm|tL", "EtE|L", "Et|LL"})
    EXPECT_EQ(error_of([&] { layout_in(wrong); }).substr(0, 16), "a.sh:1:5: error:") << wrong;
}

// Megatron-Core's validate_layer_layout asks for one embedding and one loss.
TEST(MegatronLayout, has_an_embedding_and_a_loss) {
  EXPECT_EQ(error_of([] { layout_in("Et*3|(tt|)*29,m|"); }),
            "a.sh:1:5: error: 'Et*3|(tt|)*29,m|' is no pipeline layout such as Et*3|(tt|)*29|L: "
            "'L' is missing");
  EXPECT_THAT(error_of([] { layout_in("tt|L"); }), testing::EndsWith("'E' is missing"));
}

TEST(MegatronLayout, is_told_from_words) {
  EXPECT_TRUE(is_megatron_layout("Et*3|tt|L"));
  EXPECT_TRUE(is_megatron_layout("Et*3|(xx|)*29,m|L"));
  EXPECT_THAT(error_of([] { layout_in("Et*3|(xx|)*29,m|L"); }),
              testing::EndsWith("'x' is no letter of a layout; E, t, m, L and | are"));
  for (const char* word : {"even", "balanced", "12", ""}) EXPECT_FALSE(is_megatron_layout(word));
}

TEST(MegatronLayout, what_is_none_says_why) {
  for (const char* wrong : {"", "Ex|L", "(tt|", "tt)", "t*",
                            "((((((((((((((((((t))))))))))))))))))", "(((t*9999)*9999)*9999)*9999"})
    EXPECT_EQ(error_of([&] { layout_in(wrong); }).substr(0, 16), "a.sh:1:5: error:") << wrong;
}

}  // namespace
}  // namespace pipewright::test
