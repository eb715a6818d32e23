#include "report/text/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/golden.hpp"
#include "support/schedule_rows.hpp"

namespace pipewright {
namespace {

using testing::HasSubstr;

using test::row;
using test::stale;

TEST(Comparison, ranks_by_time_and_puts_those_that_cannot_run_last) {
  const std::vector<Row> rows = {{"chimera", {}, "needs an even number of ranks, not 3"},
                                 row("gpipe", 120, 80),
                                 row("1f1b", 100, 80)};
  const std::string text = comparison_report(rows).text();
  EXPECT_LT(text.find("\n1f1b"), text.find("\ngpipe"));
  EXPECT_LT(text.find("\ngpipe"), text.find("\nchimera    cannot run: needs an even"));
}

// The run without draws is faster under gpipe, most draws are faster under 1f1b.
TEST(Comparison, of_runs_that_draw_ranks_and_shows_the_medians) {
  std::vector<Row> rows = {row("gpipe", 100, 80), row("1f1b", 110, 80)};
  rows[0].run->result.ranges.variation = Quantiles{.p50 = milliseconds(130), .seeds = 20};
  rows[1].run->result.ranges.variation = Quantiles{.p50 = milliseconds(120), .seeds = 20};
  const std::string text = comparison_report(rows).text();
  EXPECT_LT(text.find("\n1f1b"), text.find("\ngpipe"));
  EXPECT_THAT(text, HasSubstr("Take 1f1b, at 120 ms"));
  EXPECT_THAT(text, HasSubstr("Each time is the median of 20 draws."));
}

// A tenth of the period that the row shows.
TEST(Comparison, shows_the_bubble_of_the_time_that_it_shows_and_says_so) {
  Row asynchronous = stale(row("pipedream-2bw", 90, 60), 1);
  Metrics& metrics = asynchronous.run->result.metrics;
  metrics.breakdown.bubble = divide(metrics.iteration, 10);
  metrics.steady = {metrics.iteration, 5};
  const std::string text =
      comparison_report(std::vector<Row>{asynchronous, row("gpipe", 120, 80)}).text();
  EXPECT_THAT(text, HasSubstr("  10.0 %  "));
  EXPECT_THAT(text, HasSubstr("in their steady state"));
  EXPECT_THAT(comparison_report(std::vector<Row>{row("gpipe", 120, 80)}).text(),
              testing::Not(HasSubstr("steady state")));
}

TEST(Comparison, format) {
  const std::vector<Row> rows = {row("gpipe", 120, 180),
                                 row("interleaved-1f1b", 100, 80),
                                 {"chimera", {}, "needs an even number of ranks, not 3"},
                                 stale(row("pipedream-2bw", 90, 60), 1),
                                 row("v-min", 130, 30)};
  test::expect_golden("comparison.txt", comparison_report(rows).text());
}

}  // namespace
}  // namespace pipewright
