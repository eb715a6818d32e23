#include "run/drawing.hpp"

#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

// A run of given times has stages and no layers, and a cluster all the same.
TEST(Drawing, a_synthetic_run_has_passes_and_devices) {
  const Run made = run(four_ranks("1f1b"));
  const Drawn drawn = made.draw(made);
  EXPECT_TRUE(drawn.kernels.layers.empty());
  EXPECT_EQ(drawn.cluster.nodes.size(), 4u);
}

TEST(Drawing, the_same_run_is_drawn_the_same_twice) {
  const Run made = run(small_gpt("parallel: {pipeline: 4, data: 4}\nschedule: 1f1b\n"));
  const Drawn once = made.draw(made), again = made.draw(made);
  EXPECT_EQ(once.cluster.rails, again.cluster.rails);
  EXPECT_EQ(once.kernels.names, again.kernels.names);
}

}  // namespace
}  // namespace pipewright::test
