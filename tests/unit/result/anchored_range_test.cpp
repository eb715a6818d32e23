#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "result/ranges.hpp"

namespace pipewright {
namespace {

Regime regime_of(const ResidualRow& row) {
  return {.framework = row.framework,
          .device = row.device,
          .precision = row.precision,
          .nodes = row.nodes,
          .datasheet = row.datasheet,
          .exposed = row.exposed,
          .host = row.host,
          .bubble = row.bubble};
}

Anchor anchor_of(int runs, double nodes) {
  Anchor anchor = prior_anchor();
  anchor.runs = runs;
  anchor.nodes = nodes;
  return anchor;
}

double width(const Range& range) { return std::log(range.high / range.low); }

TEST(AnchoredRange, holds_the_prediction) {
  for (const int runs : {1, 3, 10}) {
    const Range range =
        anchored_range_of({.framework = "megatron", .nodes = 4}, anchor_of(runs, 4)).range;
    EXPECT_LT(range.low, 1);
    EXPECT_GT(range.high, 1);
  }
}

// Over all published runs: an anchor narrows the range of most.
TEST(AnchoredRange, an_anchor_makes_predictions_surer) {
  int narrower = 0, all = 0;
  for (const ResidualRow& row : published_residuals()) {
    if (all++ % 20 != 0) continue;
    const Regime regime = regime_of(row);
    narrower += width(anchored_range_of(regime, anchor_of(3, row.nodes), row.group).range) <
                width(range_of(regime, row.group).range);
  }
  EXPECT_GT(narrower, 0.6 * all / 20);
}

TEST(AnchoredRange, says_how_many_runs_it_is_made_of) {
  const std::string basis = anchored_range_of({.nodes = 1}, anchor_of(3, 1)).basis;
  EXPECT_NE(basis.find("an anchor of 3 runs"), std::string::npos) << basis;
}

}  // namespace
}  // namespace pipewright
