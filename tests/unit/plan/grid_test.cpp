#include <gtest/gtest.h>

#include "plan/grid.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

Grid grid(const std::string& placement) {
  Experiment e =
      read_experiment(experiment("parallel: {tensor: 2, pipeline: 2, data: 2}\n" + placement));
  return make_grid(e, 8);
}

// Tensor ranks are neighbours, then replicas, then pipeline ranks.
TEST(Grid, the_default_order_is_tp_cp_ep_dp_pp) {
  const Grid g = grid("");
  EXPECT_EQ(g.device(0, 1, 0), 1);
  EXPECT_EQ(g.device(0, 0, 1), 2);
  EXPECT_EQ(g.device(1, 0, 0), 4);
}

TEST(Grid, placement_names_what_varies_fastest) {
  const Grid g = grid("placement: pp-tp-cp-ep-dp\n");
  EXPECT_EQ(g.device(1, 0, 0), 1);
  EXPECT_EQ(g.device(0, 1, 0), 2);
  EXPECT_EQ(g.device(0, 0, 1), 4);
}

TEST(Grid, placement_may_list_devices) {
  EXPECT_EQ(grid("placement: [7, 6, 5, 4, 3, 2, 1, 0]\n").device(1, 1, 1), 0);
  EXPECT_NE(error_of([] {
              grid("placement: [0, 0, 1, 2, 3, 4, 5, 6]\n");
            }).find("device 0 is placed twice"),
            std::string::npos);
  EXPECT_NE(error_of([] { grid("placement: tp-dp\n"); }).find("once each"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
