#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "clusters.hpp"
#include "network/resharding/plan.hpp"

namespace pipewright::resharding {
namespace {

/// The bound of a gibibyte from one DGX H100 to another, NICs of 50 GB/s each.
double bound_s(const char* change, int nics) {
  const Topology nodes =
      test::cluster_of("{node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, nics: " +
                       std::to_string(nics) + "}}")
          .topology;
  return in_seconds(compare(nodes, read_change(change), GiB).bound);
}

TEST(LowerBound, is_that_of_all_nics_of_those_that_hold_and_want) {
  const double over_one_s = std::ldexp(1.0, 30) / 50e9;
  for (const int nics : {1, 2, 4, 8}) {
    EXPECT_NEAR(bound_s("S01R@(2,4) -> S01R@(2,4)", nics), over_one_s / nics, 1e-9);
    EXPECT_NEAR(bound_s("RR@(2,4) -> RR@(2,4)", nics), over_one_s / nics, 1e-9);
  }
  // One device holds all, and its NIC is the only one that can send.
  EXPECT_NEAR(bound_s("RR@(1,1) -> RR@(1,1)", 8), 0, 1e-12);  // in its own host
  EXPECT_NEAR(bound_s("RR@(2,4) -> RR@(1,1)", 8), over_one_s, 1e-9);
}

}  // namespace
}  // namespace pipewright::resharding
