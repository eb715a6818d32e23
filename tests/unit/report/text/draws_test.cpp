#include "report/text/draws.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(Draws, are_told_where_there_are_some) {
  EXPECT_EQ(draws_line(20), "Each time is the median of 20 draws.\n");
  EXPECT_EQ(draws_line(0), "");
}

}  // namespace
}  // namespace pipewright
