#include "simulate/taken_out.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(TakenOut, the_innermost_that_stands_there_is_removed) {
  config::Value value = config::parse("a: [1, 2]\nb: {c: 3, d: 4}\n", "x.yaml");
  std::vector<Removal> removals;
  EXPECT_TRUE(remove_at(value, {"x.yaml", 1, 5}, removals));
  EXPECT_EQ(value.find("a")->items.size(), 1u);
  EXPECT_TRUE(remove_at(value, {"x.yaml", 2, 11}, removals));
  EXPECT_FALSE(value.find("b")->find("d"));
  EXPECT_TRUE(value.find("b")->find("c"));
  ASSERT_EQ(removals.size(), 2u);
  EXPECT_EQ(removals[1].key, "d");
  EXPECT_TRUE(stands_at(removals[1].from, {"x.yaml", 2, 4}));
}

TEST(TakenOut, nothing_is_removed_where_nothing_stands) {
  config::Value value = config::parse("a: 1\n", "x.yaml");
  std::vector<Removal> removals;
  EXPECT_FALSE(remove_at(value, {"x.yaml", 9, 9}, removals));
  EXPECT_FALSE(remove_at(value, {"y.yaml", 1, 4}, removals));
  EXPECT_TRUE(value.find("a") && removals.empty());
}

}  // namespace
}  // namespace pipewright::test
