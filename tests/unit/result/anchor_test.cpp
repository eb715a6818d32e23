#include "result/anchor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "result/likeness.hpp"

namespace pipewright {
namespace {

constexpr AnchorParts kernels_only = {1, 0, 0}, half_network = {0.5, 0.5, 0};

TEST(Anchor, without_runs_is_what_was_known_before) {
  const Anchor none = updated(prior_anchor(), {});
  for (size_t part = 0; part < 3; ++part) {
    EXPECT_DOUBLE_EQ(none.factors[part], 1);
    EXPECT_NEAR(none.covariance[part][part], prior_anchor().covariance[part][part], 1e-12);
  }
}

TEST(Anchor, many_runs_of_one_part_say_what_that_part_takes) {
  const std::vector<AnchorPoint> points(1000, {std::log(1.1), kernels_only});
  const Anchor anchor = updated(prior_anchor(), points);
  EXPECT_NEAR(anchor.factors[0], 1.1, 1e-3);
  EXPECT_DOUBLE_EQ(anchor.factors[1], 1);
  EXPECT_LT(anchor.covariance[0][0], 1e-4);
  EXPECT_NEAR(anchor.covariance[1][1], prior_anchor().covariance[1][1], 1e-9);
}

// Of two normal numbers that add up to what was measured, each has the part of it that its variance
// has of the sum of all (the textbook's formula of the posterior), where nothing is far out.
TEST(Anchor, one_run_moves_a_part_by_its_share_of_the_doubt) {
  const double off = 0.02;
  const std::vector<AnchorPoint> points = {{off, kernels_only}};
  const double prior = prior_anchor().covariance[0][0];
  const double moved = std::log(updated(prior_anchor(), points).factors[0]);
  EXPECT_GT(moved, 0.9 * off * prior / (prior + run_deviation * run_deviation));
  EXPECT_LT(moved, off);
}

TEST(Anchor, it_does_not_matter_where_predictions_began) {
  // The same measurement, predicted with another factor: 1.2 of which 1.1 are known of.
  Anchor begun = prior_anchor();
  begun.factors[0] = 1.1;
  const Anchor one =
      updated(prior_anchor(), std::vector<AnchorPoint>{{std::log(1.2), kernels_only}});
  const Anchor two = updated(begun, std::vector<AnchorPoint>{{std::log(1.2 / 1.1), kernels_only}});
  EXPECT_NEAR(one.factors[0], two.factors[0], 1e-9);
}

double moved(double slower, const AnchorParts& shares, size_t part) {
  return updated(prior_anchor(), std::vector<AnchorPoint>{{std::log(slower), shares}})
      .factors[part];
}

// A measurement that is longer never says that a part takes less.
TEST(Anchor, what_one_run_moves_grows_with_what_it_took) {
  for (const AnchorParts& shares : {kernels_only, half_network, AnchorParts{0.2, 0.1, 0.7}}) {
    for (size_t part = 0; part < shares.size(); ++part) {
      double last = 0;
      for (double slower = 0.1; slower < 200; slower *= 1.07) {
        const double now = moved(slower, shares, part);
        EXPECT_GE(now, last - 1e-7) << "part " << part << ", " << slower << " times";
        last = now;
      }
    }
  }
}

TEST(Anchor, one_run_that_is_far_off_moves_hardly_more_than_one_less_far) {
  EXPECT_LT(moved(100, half_network, 1) / moved(10, half_network, 1), 1.001);
  EXPECT_GT(moved(1.1, half_network, 1) / moved(1, half_network, 1), 1.01);
}

double dot(const AnchorParts& a, const AnchorParts& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// What is known of a machine's factors while its runs come one by one, as Kalman's filter has it.
struct Known {
  AnchorParts mean{};
  std::array<AnchorParts, 3> covariance{};

  /// Takes a run in and returns how likely it was before, as a logarithm.
  double take(const AnchorParts& shares, double slower, double own) {
    AnchorParts gain{};
    for (size_t i = 0; i < 3; ++i) gain[i] = dot(covariance[i], shares);
    const double variance = dot(gain, shares) + own * own, surprise = slower - dot(shares, mean);
    for (size_t i = 0; i < 3; ++i) {
      mean[i] += gain[i] / variance * surprise;
      for (size_t j = 0; j < 3; ++j) covariance[i][j] -= gain[i] * gain[j] / variance;
    }
    return -(std::log(variance) + surprise * surprise / variance) / 2;
  }
};

/// The mean likelihood of a machine's runs under the model in the head of anchor.cpp.
double likelihood(const std::vector<const ResidualRow*>& rows, const AnchorParts& deviations,
                  double own) {
  Known known;
  for (size_t i = 0; i < 3; ++i) known.covariance[i][i] = deviations[i] * deviations[i];
  double sum = 0;
  for (const ResidualRow* row : rows) {
    Regime regime{.nodes = row->nodes};
    regime.exposed = row->exposed;
    regime.host = row->host;
    sum += known.take(shares_of(regime), std::log(row->slower), own);
  }
  return sum / static_cast<double>(rows.size());
}

std::vector<std::vector<const ResidualRow*>> machines() {
  std::map<std::string, std::vector<const ResidualRow*>> all;
  for (const ResidualRow& row : published_residuals())
    if (std::abs(std::log(row.slower)) < 0.5)
      all[std::string(source_of(row.group)) + " " + row.framework + " " + row.device].push_back(
          &row);
  std::vector<std::vector<const ResidualRow*>> lists;
  for (auto& [name, rows] : all) lists.push_back(std::move(rows));
  return lists;
}

// No other is likelier by more than the published runs can tell: half of the chi-square
// distribution's 95th percentile with one degree of freedom.
TEST(Anchor, deviations_are_the_likeliest_for_published_runs) {
  constexpr double cannot_be_told = 1.92;
  const auto all = machines();
  const auto sum = [&](const std::array<double, 4>& deviations) {
    double sum = 0;
    for (const auto& rows : all)
      sum += likelihood(rows, {deviations[0], deviations[1], deviations[2]}, deviations[3]);
    return sum;
  };
  std::array<double, 4> chosen{};
  for (size_t part = 0; part < 3; ++part)
    chosen[part] = std::sqrt(prior_anchor().covariance[part][part]);
  chosen[3] = run_deviation;
  for (size_t i = 0; i < chosen.size(); ++i) {
    for (const double factor : {0.7, 1.4}) {
      std::array<double, 4> other = chosen;
      other[i] *= factor;
      EXPECT_GT(sum(chosen) + cannot_be_told, sum(other))
          << "deviation " << i << " times " << factor;
    }
  }
}

TEST(Anchor, shares_are_of_a_whole) {
  Regime regime{.nodes = 4};
  regime.exposed = 0.25;
  regime.host = 0.125;
  EXPECT_EQ(shares_of(regime), (AnchorParts{0.625, 0.25, 0.125}));
  regime.nodes = 1;
  EXPECT_EQ(shares_of(regime)[1], 0) << "one node has no network";
}

}  // namespace
}  // namespace pipewright
