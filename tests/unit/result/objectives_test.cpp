#include "result/objectives.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(Objectives, the_rank_that_waits_longest_tells_what_is_exposed) {
  RunResult result;
  result.metrics.ranks.resize(3);
  result.metrics.ranks[0].breakdown[Traffic::data] = milliseconds(4);
  result.metrics.ranks[1].breakdown[Traffic::tensor] = milliseconds(250);
  EXPECT_EQ(objective_value(result, "exposed_communication_s"), 0.25);
  EXPECT_FALSE(is_gain("exposed_communication_s"));
}

}  // namespace
}  // namespace pipewright::test
