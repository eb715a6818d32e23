#include "topology/cluster/dot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clusters.hpp"

namespace pipewright {
namespace {

using test::cluster_of;
using testing::HasSubstr;

TEST(Dot, one_edge_for_both_ways_of_a_link) {
  const std::string dot =
      to_dot(cluster_of("{devices: 2, bandwidth_matrix: [[0, 4 GB/s], [4 GB/s, 0]]}"));
  EXPECT_THAT(dot, HasSubstr("v0 -- v1 [label=\"4 GB/s 0 us\"];"));
  EXPECT_EQ(dot.find("v1 -- v0"), std::string::npos);
}

TEST(Dot, both_ways_stand_on_an_edge_where_they_differ) {
  EXPECT_THAT(to_dot(cluster_of("{devices: 2, bandwidth_matrix: [[0, 1 GB/s], [2 GB/s, 0]]}")),
              HasSubstr("[label=\"1 GB/s 0 us / 2 GB/s 0 us\"];"));
}

TEST(Dot, names_with_quotes_stay_inside_theirs) {
  EXPECT_THAT(to_dot(cluster_of("{name: 'a \"b\"', devices: 1}")),
              HasSubstr("graph \"a \\\"b\\\"\" {"));
}

TEST(Dot, unbounded_links_say_so) {
  EXPECT_THAT(to_dot(cluster_of("{devices: 2, latency_matrix: [[0 s, 3 us], [3 us, 0 s]]}")),
              HasSubstr("[label=\"unbounded 3 us\"];"));
}

}  // namespace
}  // namespace pipewright
