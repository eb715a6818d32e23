#include "diagnose/step_passes.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

// Ranks 0 and 1 stand at place 0 of their pipelines, rank 2 at place 1.
TEST(StepPasses, tell_each_rank_and_the_last_of_a_place) {
  const auto span = [](int from, int to) {
    return diagnose::PassSpan{.start = seconds(from), .end = seconds(to)};
  };
  diagnose::StepPasses passes;
  passes.add(0, 0, 0, span(1, 3));
  passes.add(0, 0, 0, span(4, 6));
  passes.add(1, 0, 0, span(2, 9));
  passes.add(2, 1, 0, span(5, 20));
  ASSERT_NE(passes.of(0, 0), nullptr);
  EXPECT_EQ(*passes.of(0, 0), (std::pair{seconds(1), seconds(6)}));
  EXPECT_EQ(passes.last_end(0, 0), seconds(9));
  EXPECT_EQ(passes.last_end(1, 0), seconds(20));
  EXPECT_EQ(passes.of(0, 1), nullptr);
}

}  // namespace
}  // namespace pipewright::test
