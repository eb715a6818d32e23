#include "result/likeness.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pipewright {
namespace {

TEST(Likeness, a_source_is_the_letters_in_front) {
  EXPECT_EQ(source_of("dgxc2411_nemotron15b"), "dgxc");
  EXPECT_EQ(source_of("vtrain"), "vtrain");
}

TEST(Likeness, nothing_is_liker_than_the_run_itself) {
  for (const ResidualRow& row : published_residuals().first(50)) {
    const Regime itself{.framework = row.framework,
                        .device = row.device,
                        .precision = row.precision,
                        .nodes = row.nodes,
                        .datasheet = row.datasheet,
                        .exposed = row.exposed,
                        .host = row.host,
                        .bubble = row.bubble};
    for (const ResidualRow& other : published_residuals())
      EXPECT_LE(likeness(itself, other), likeness(itself, row));
  }
}

TEST(Likeness, all_runs_of_a_group_count_as_one) {
  const std::span<const ResidualRow> rows = published_residuals();
  const auto weights = group_weights(rows);
  std::map<std::string_view, double> sums;
  for (const ResidualRow& row : rows) sums[row.group] += weights.at(row.group);
  for (const auto& [group, sum] : sums) EXPECT_LE(sum, 1 + 1e-9) << group;
}

// Nine numbers of one weight and a tenth: deciles are the first and the ninth.
TEST(Likeness, deciles_leave_a_tenth_on_either_side) {
  std::vector<Weighed> numbers;
  for (int i = 1; i <= 10; ++i) numbers.push_back({0.1 * i - 0.55, 1});
  const Range range = range_between_deciles(numbers);
  EXPECT_NEAR(std::log(range.low), -0.45, 1e-9);
  EXPECT_NEAR(std::log(range.high), 0.35, 1e-9);
}

}  // namespace
}  // namespace pipewright
