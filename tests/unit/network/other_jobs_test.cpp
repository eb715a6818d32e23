#include "network/other_jobs.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "topology/cluster/cluster.hpp"

namespace pipewright {
namespace {

double busy_factor_of(const char* cluster, int nodes) {
  const config::Catalogue catalogue;
  return busy_factor(read_cluster(config::parse(cluster, "x.yaml"), catalogue).topology, nodes);
}

// Between the quickest and the slowest twentieth of jobs on one cluster lie 1.44 to 1.53 on two
// nodes and 3.79 to 4.63 on eight; the mean job took 1.2 to 1.3 and 1.9 to 2.9 times as long.
TEST(OtherJobs, slow_down_what_crosses_a_shared_network) {
  for (const int nodes : {2, 8}) {
    const double expected = expected_load(LinkKind::efa, nodes);
    const double slow = expected * busy_factor(LinkKind::efa, nodes);
    EXPECT_GT(expected, 1);
    EXPECT_LT(expected, nodes == 2 ? 1.2 : 1.9);
    EXPECT_GT(slow, nodes == 2 ? 1.3 : 2.9);
    EXPECT_LT(slow, nodes == 2 ? 1.53 : 3.8);
  }
}

TEST(OtherJobs, are_nobody_on_one_node_and_not_known_elsewhere) {
  EXPECT_EQ(expected_load(LinkKind::efa, 1), 1);
  EXPECT_EQ(busy_factor(LinkKind::efa, 1), 1);
  EXPECT_EQ(expected_load(LinkKind::infiniband, 64), 1);
  EXPECT_EQ(busy_factor(LinkKind::infiniband, 64), 1);
}

TEST(OtherJobs, are_those_of_the_links_between_nodes) {
  EXPECT_EQ(busy_factor_of("{node: p5.48xlarge, nodes: 2}", 2), busy_factor(LinkKind::efa, 2));
  EXPECT_EQ(busy_factor_of("{node: dgx-h100, nodes: 2}", 2), 1);
  EXPECT_EQ(busy_factor_of("{node: p5.48xlarge, nodes: 1}", 1), 1);
}

}  // namespace
}  // namespace pipewright
