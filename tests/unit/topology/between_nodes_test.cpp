#include "topology/between_nodes.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "topology/cluster/cluster.hpp"

namespace pipewright {
namespace {

LinkKind kind_of(const char* cluster) {
  return kind_between_nodes(
      read_cluster(config::parse(cluster, "c.yaml"), config::Catalogue()).topology);
}

TEST(BetweenNodes, are_links_of_the_fabric_s_kind) {
  EXPECT_EQ(kind_of("{node: p5.48xlarge, nodes: 2}"), LinkKind::efa);
  EXPECT_EQ(kind_of("{node: dgx-h100, nodes: 2}"), LinkKind::infiniband);
  EXPECT_EQ(kind_of("{node: dgx-h100, nodes: 1}"), LinkKind::other);
}

}  // namespace
}  // namespace pipewright
