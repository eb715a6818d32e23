#include "run/fixed_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments.hpp"

namespace pipewright::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Four pipeline stages on four leaves of two nodes, with two uplinks each.
std::vector<std::string> route_notes(const std::string& rest, const std::string& spines) {
  return run(experiment("model: {synthetic: {devices: 8, microbatches: 8, forward: 1 ms, backward: "
                        "2 ms, boundary: 8 MB}}\n"
                        "cluster: {node: {device: {flops: {fp32: 1 TFLOP/s}}}, nodes: 8, fabric: "
                        "{kind: fat-tree, switch_ports: 4, nics: 1, link: {bandwidth: 10 GB/s}, "
                        "spines: " +
                        spines + "}}\nschedule: 1f1b\n" + rest))
      .result.notes;
}

TEST(FixedRoutes, that_leave_uplinks_idle_are_told) {
  EXPECT_THAT(route_notes("", "separate"), Contains(HasSubstr("use 1 of the 2 uplinks of leaf")));
}

TEST(FixedRoutes, of_spines_that_are_one_use_all_there_are) {
  EXPECT_THAT(route_notes("", "merged"), Not(Contains(HasSubstr("uplinks of"))));
}

TEST(FixedRoutes, are_not_told_of_where_routes_are_drawn_or_sprayed) {
  for (const char* how : {"ecmp", "spray"})
    EXPECT_THAT(route_notes(std::string("network: {flow: {routing: ") + how + "}}\n", "separate"),
                Not(Contains(HasSubstr("uplinks of"))));
}

}  // namespace
}  // namespace pipewright::test
