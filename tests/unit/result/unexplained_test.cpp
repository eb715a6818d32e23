#include "result/unexplained.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "result/ranges.hpp"

namespace pipewright {
namespace {

Regime regime_of_shares(double exposed, double host) {
  Regime regime{.framework = "megatron", .device = "h100-sxm", .nodes = 2};
  regime.exposed = exposed;
  regime.host = host;
  return regime;
}

/// The anchor of one run of this regime that took `slower` times what was predicted.
Anchor anchor_of_one(double slower, const Regime& regime) {
  const std::vector<AnchorPoint> points = {{std::log(slower), shares_of(regime)}};
  Anchor anchor = updated(prior_anchor(), points);
  anchor.runs = 1;
  anchor.nodes = regime.nodes;
  return anchor;
}

/// The run above with its anchor.
AnchoredRun anchored_run(double slower, const Regime& regime) {
  const Anchor anchor = anchor_of_one(slower, regime);
  double anchored = 1;
  for (size_t part = 0; part < 3; ++part)
    anchored *= std::pow(anchor.factors[part], shares_of(regime)[part]);
  return {"a", slower, 1, anchored};
}

// The measurement of the user's own machine is never outside what the program then expects of it.
TEST(Unexplained, the_range_holds_the_run_that_was_measured) {
  for (const Regime& regime :
       {regime_of_shares(0, 0), regime_of_shares(0.9, 0), regime_of_shares(0.1, 0.6)}) {
    for (const double slower : {0.01, 0.3, 0.5, 1.5, 3.0, 10.0, 100.0}) {
      const AnchoredRun run = anchored_run(slower, regime);
      if (!is_unexplained(run)) continue;
      const std::vector<RunOfRegime> runs = {{run, regime}};
      const Range range =
          anchored_range_of(regime, doubted(anchor_of_one(slower, regime), runs)).range;
      EXPECT_LE(range.low * run.anchored_s, slower);
      EXPECT_GE(range.high * run.anchored_s, slower);
    }
  }
}

TEST(Unexplained, a_run_at_three_times_the_prediction_is_and_one_at_a_tenth_more_is_not) {
  const Regime regime = regime_of_shares(0.2, 0.1);
  EXPECT_TRUE(is_unexplained(anchored_run(3, regime)));
  EXPECT_TRUE(is_unexplained(anchored_run(1 / 3.0, regime)));
  EXPECT_FALSE(is_unexplained(anchored_run(1.1, regime)));
}

TEST(Unexplained, an_anchor_of_explained_runs_stays_as_it_is) {
  const Regime regime = regime_of_shares(0.2, 0.1);
  const Anchor anchor = anchor_of_one(1.1, regime);
  const std::vector<RunOfRegime> runs = {{anchored_run(1.1, regime), regime}};
  EXPECT_EQ(doubted(anchor, runs).covariance, anchor.covariance);
  EXPECT_FALSE(is_doubted(regime, anchor));
}

TEST(Unexplained, the_doubt_grows_with_how_far_a_run_is_off) {
  const Regime regime = regime_of_shares(0.2, 0.1);
  double last = 0;
  for (const double slower : {1.5, 2.0, 3.0, 10.0}) {
    const std::vector<RunOfRegime> runs = {{anchored_run(slower, regime), regime}};
    const Anchor anchor = doubted(anchor_of_one(slower, regime), runs);
    EXPECT_GT(anchor.covariance[0][0], last);
    last = anchor.covariance[0][0];
  }
}

}  // namespace
}  // namespace pipewright
