#include "interop/megatron_layout.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

std::vector<int> read(const char* text) { return read_megatron_layout(text, {"a.sh", 1, 5}); }

TEST(MegatronLayout, a_stage_has_its_layers) {
  EXPECT_EQ(read("Et*3|tt|L"), (std::vector<int>{3, 2, 0}));
}

// The example of Megatron-LM's help: 3 + 29 x 2 layers and a stage with the loss alone.
TEST(MegatronLayout, groups_repeat) {
  const std::vector<int> stages = read("Et*3|(tt|)*29,m|L");
  ASSERT_EQ(stages.size(), 32u);
  EXPECT_EQ(stages[0], 3);
  for (int i = 1; i <= 29; ++i) EXPECT_EQ(stages[i], 2);
  EXPECT_EQ(stages[30], 0);
  EXPECT_EQ(stages[31], 0);
}

TEST(MegatronLayout, what_is_none_says_why) {
  for (const char* wrong : {"", "Ex|L", "(tt|", "tt)", "t*",
                            "((((((((((((((((((t))))))))))))))))))", "(((t*9999)*9999)*9999)*9999"})
    EXPECT_EQ(error_of([&] { read(wrong); }).substr(0, 16), "a.sh:1:5: error:") << wrong;
}

}  // namespace
}  // namespace pipewright::test
