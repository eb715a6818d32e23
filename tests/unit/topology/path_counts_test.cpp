#include "topology/path_counts.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(PathCounts, are_worked_out_once_for_each_direction) {
  PathCounts counts;
  int asked = 0;
  const auto five = [&] { return ++asked, uint64_t{5}; };
  EXPECT_EQ(counts.of(1, true, 2, five), 5u);
  EXPECT_EQ(counts.of(1, true, 2, five), 5u);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(counts.of(1, false, 2, five), 5u);
  EXPECT_EQ(counts.of(2, true, 1, five), 5u);
  EXPECT_EQ(asked, 3);
}

TEST(PathCounts, stay_within_what_can_be_counted) {
  EXPECT_EQ(sum_of_paths(most_paths, most_paths), most_paths);
  EXPECT_EQ(product_of_paths(most_paths, 3), most_paths);
  EXPECT_EQ(product_of_paths(uint64_t{1} << 40, uint64_t{1} << 40), most_paths);
  EXPECT_EQ(product_of_paths(6, 7), 42u);
}

}  // namespace
}  // namespace pipewright
