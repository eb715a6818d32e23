#include "result/ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pipewright {
namespace {

Regime known() {
  return {.framework = "megatron",
          .device = "h100-sxm",
          .precision = "bf16",
          .nodes = 4,
          .datasheet = 0.1,
          .exposed = 0.1};
}

double width(const Regime& regime) {
  const Range range = range_of(regime).range;
  return range.high - range.low;
}

TEST(Ranges, hold_the_prediction_and_are_never_nothing) {
  const Range range = range_of(known()).range;
  EXPECT_LT(range.low, 1);
  EXPECT_GT(range.high, 1);
}

TEST(Ranges, what_was_never_measured_is_less_sure) {
  Regime other = known();
  other.datasheet = 1;
  EXPECT_GT(width(other), width(known()));
}

TEST(Ranges, waiting_for_a_network_is_less_sure) {
  Regime far = known();
  far.exposed = 0.5;
  far.nodes = 32;
  EXPECT_GT(width(far), width(known()));
}

TEST(Ranges, nodes_beyond_those_where_the_network_was_measured_are_less_sure) {
  Regime most = known();
  double before = width(most);
  for (const double share : {0.5, 0.75, 0.875}) {
    most.beyond_measured = share;
    EXPECT_GT(width(most), before) << share;
    before = width(most);
  }
  most.exposed = 0;
  Regime alone = most;
  alone.beyond_measured = 0;
  EXPECT_DOUBLE_EQ(width(most), width(alone)) << "where nothing waits for the network";
}

// Kernels alone: a machine's deviate by 0.122, a run by 0.09; four in five are within 1.28 times
// the root of the sum of their squares.
TEST(Ranges, of_a_machine_that_nobody_has_measured_are_those_of_its_parts) {
  Regime other = known();
  other.exposed = 0;
  other.framework = "somebody's";
  const double reach = 1.2816 * std::hypot(0.122, 0.09);
  EXPECT_GE(range_of(other).range.high, std::exp(reach));
  EXPECT_LE(range_of(other).range.low, std::exp(-reach));
  EXPECT_NE(range_of(other).basis.find("none of this framework on this device"), std::string::npos);
  EXPECT_EQ(range_of(known()).basis.find("none of"), std::string::npos);
}

// A host that is known less well than kernels is what more of the time waits for.
TEST(Ranges, of_a_machine_that_nobody_has_measured_grow_with_what_is_known_less_well) {
  Regime host = known();
  host.framework = "somebody's";
  const double before = width(host);
  host.host = 0.6;
  EXPECT_GT(width(host), before);
}

// Half of the time is waited for a network on which one job of ten waits three times as long.
TEST(Ranges, other_jobs_on_the_network_reach_as_far_as_they_were_seen_to) {
  Regime shared = known();
  shared.exposed = 0.5;
  const double alone = range_of(shared).range.high;
  shared.busy = 3;
  EXPECT_GE(range_of(shared).range.high, 2);
  EXPECT_GE(range_of(shared).range.high, alone);
  shared.exposed = 0;
  EXPECT_LT(range_of(shared).range.high, 2);
}

// The table is of many sources; without one of them the ranges of its groups differ.
TEST(Ranges, a_source_does_not_vouch_for_itself) {
  const auto rows = published_residuals();
  ASSERT_GT(rows.size(), 1000u);
  const ResidualRow& row = rows.front();
  const Regime regime = row.regime();
  EXPECT_NE(range_of(regime).basis, range_of(regime, row.group).basis);
}

}  // namespace
}  // namespace pipewright
