#include "report/ranking/pareto_front.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(ParetoFront, holds_what_nothing_else_beats) {
  EXPECT_EQ(pareto_front({{1, 5}, {2, 3}, {2, 4}, {3, 3}, {4, 1}, {1, 5}}),
            (std::vector<bool>{true, true, false, false, true, true}));
  EXPECT_EQ(pareto_front({}), std::vector<bool>{});
}

}  // namespace
}  // namespace pipewright
