#include "report/csv/result.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/golden.hpp"
#include "support/tiny_run.hpp"

namespace pipewright {
namespace {

std::vector<Row> rows() {
  return {{"1f1b", test::tiny_run(), ""}, {"chimera", {}, "needs an even number of ranks, not 3"}};
}

/// Fields of a line without quotes.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',')
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

std::string field(const RunResult& result, const std::string& column) {
  const std::vector<std::string> names = split(csv_header());
  const auto at = std::find(names.begin(), names.end(), column);
  if (at == names.end()) return "no such column";
  return split(csv_line(result)).at(static_cast<size_t>(at - names.begin()));
}

TEST(Csv, numbers_are_in_base_units) {
  const RunResult result = test::tiny_run().result;
  EXPECT_EQ(field(result, "iteration_time_s"), "6.5000002e-05");
  EXPECT_EQ(field(result, "peak_memory_bytes"), "1200");  // rank 1: 1000 + 200
  EXPECT_EQ(field(result, "pipeline_bytes"), "96");
  EXPECT_EQ(field(result, "feasible"), "true");
}

TEST(Csv, what_the_model_cannot_have_is_empty) {
  EXPECT_EQ(field(test::tiny_run().result, "mfu"), "");
  EXPECT_EQ(field(test::tiny_run().result, "cost_usd_per_token"), "");
  EXPECT_EQ(field(test::tiny_run().result, "reason"), "");
}

TEST(Csv, a_training_run_has_its_time_and_its_cost) {
  RunResult result = test::tiny_run().result;
  result.training.time_s = 86'400;
  result.training.cost_usd = 471'346.5;
  EXPECT_EQ(field(result, "time_to_train_s"), "86400");
  EXPECT_EQ(field(result, "time_to_train_cost_usd"), "471346.5");
}

// 24 ms in place of 16: rates are two thirds, cost and time to train half as much again.
TEST(Csv, has_what_tables_show_beside_the_run_without_draws) {
  RunResult result = test::tiny_run().result;
  result.metrics.iteration = milliseconds(16);
  result.rates.samples_per_s = 3;
  result.expenses.cost_usd = 4;
  result.training.time_s = 1000;
  EXPECT_EQ(field(result, "typical_iteration_time_s"), field(result, "iteration_time_s"));
  result.ranges.variation = Quantiles{.p50 = milliseconds(24), .seeds = 20};
  EXPECT_EQ(field(result, "iteration_time_s"), "0.016");
  EXPECT_EQ(field(result, "typical_iteration_time_s"), "0.024");
  EXPECT_EQ(field(result, "typical_samples_per_s"), "2");
  EXPECT_EQ(field(result, "typical_cost_usd"), "6");
  EXPECT_EQ(field(result, "typical_time_to_train_s"), "1500");
}

TEST(Csv, the_goodput_is_that_of_drawn_histories_where_there_are_some) {
  RunResult result = test::tiny_run().result;
  result.goodput = {.fraction = 0.96, .best_interval_s = 50, .events = {}};
  EXPECT_EQ(field(result, "goodput_fraction"), "0.96");
  result.goodput->events = GoodputEvents{.fraction = 0.72};
  EXPECT_EQ(field(result, "goodput_fraction"), "0.72");
}

TEST(Csv, every_line_has_the_fields_of_the_header) {
  const size_t columns = split(csv_header()).size();
  EXPECT_EQ(split(csv_line(test::tiny_run().result)).size(), columns);
  EXPECT_EQ(split(csv_line("chimera", "odd")).size(), columns);
  EXPECT_EQ(split(csv_line("chimera", "odd")).back(), "odd");
}

TEST(Csv, says_nothing_of_the_simulators_own_time) {
  auto slow = test::tiny_run();
  slow.result.cost = {.events = 8, .wall_s = 99, .setup_s = 99, .peak_rss_bytes = 99};
  EXPECT_EQ(csv_text(slow.result), csv_text(test::tiny_run().result));
}

TEST(Csv, format) { test::expect_golden("results.csv", csv_text(rows())); }

}  // namespace
}  // namespace pipewright
