#include "report/text/shared_rank.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace pipewright {
namespace {

std::string text(std::vector<TimedName> others) {
  return shared_rank_text({"first", 1.0}, others, 0.05);
}

TEST(SharedRankText, names_who_may_be_as_fast_and_what_to_measure) {
  EXPECT_EQ(text({{"near", 1.01}, {"far", 2}}),
            "Predictions are not sure enough to tell it from near: measure first and near first.");
}

TEST(SharedRankText, is_empty_where_all_others_are_slower) {
  EXPECT_EQ(text({{"far", 2}}), "");
  EXPECT_EQ(text({}), "");
}

TEST(SharedRankText, counts_those_beyond_three) {
  EXPECT_NE(text({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}}).find("a, b, c and 2 more"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright
