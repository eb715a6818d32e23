// The published runs stay as well predicted as they are: each figure below is the error that was
// measured, and the gate stands a tenth above it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "config/catalogue.hpp"
#include "result/likeness.hpp"
#include "result/range_widening.hpp"
#include "result/ranges.hpp"
#include "study/validate.hpp"

namespace pipewright::test {
namespace {

const Validation& validation() {
  static const Validation all = [] {
    const config::Catalogue catalogue;
    const config::Value document = catalogue.load("validation", config::scalar("published-runs"));
    return validate(read_measured_runs(document), catalogue, {}, 0, [](size_t) {});
  }();
  return all;
}

/// Holds an error to a tenth above its figure: what it was when the figure was taken, by
/// 'pipewright validate published-runs'. Who makes it smaller writes down the new figure. What is
/// next to nothing by luck may grow to a thousandth.
void expect_at_most(double error, double figure) {
  EXPECT_LT(error, std::max(1.1 * figure, 0.001));
}

/// Of the group's iteration times.
void expect_median(const std::string& name, double figure) {
  SCOPED_TRACE(name);
  for (const auto& [group, title, accuracy] : validation().groups)
    if (group == name) return expect_at_most(accuracy.median_abs_error.value(), figure);
  ADD_FAILURE() << "no such group";
}

/// Of one run's iteration time.
void expect_error(const std::string& name, double figure) {
  SCOPED_TRACE(name);
  for (const ValidationRun& run : validation().runs)
    if (run.name == name && run.predicted)
      return expect_at_most(
          std::abs(*run.predicted->iteration_time_s / *run.measured.iteration_time_s - 1), figure);
  ADD_FAILURE() << "no such prediction";
}

TEST(PublishedRuns, most_can_be_expressed) {
  const auto predicted =
      std::count_if(validation().runs.begin(), validation().runs.end(),
                    [](const ValidationRun& run) { return run.predicted.has_value(); });
  EXPECT_GE(predicted, 688);
}

TEST(PublishedRuns, half_of_the_groups_are_within_a_tenth) {
  expect_at_most(validation().overall.median_abs_error.value(), 0.0479);
  expect_at_most(validation().overall.p90_abs_error.value(), 0.1586);
}

TEST(PublishedRuns, configurations_are_put_in_their_order) {
  expect_at_most(1 - validation().overall.rank_correlation.value(), 0.0737);
}

TEST(PublishedRuns, what_ran_is_said_to_fit) {
  expect_at_most(validation().overall.false_oom.value(), 0.0087);
}

TEST(PublishedRuns, ranges_hold_four_in_five) {
  EXPECT_GT(validation().overall.coverage.value(), 0.75);
  EXPECT_LT(validation().overall.coverage.value(), 0.85);
  expect_at_most(validation().overall.width.value(), 0.2467);
}

// Whoever changes predictions writes the table again: validate published-runs ultrascale mlperf
// --residuals workloads/validation/residuals.csv.
TEST(PublishedRuns, the_table_of_residuals_is_that_of_these_predictions) {
  for (const auto& [name, title, accuracy] : validation().groups) {
    SCOPED_TRACE(name);
    std::vector<double> told, found;
    for (const ResidualRow& row : published_residuals())
      if (row.group == name) told.push_back(row.slower);
    for (const ValidationRun& run : validation().runs)
      if (run.group == name && run.slower()) found.push_back(*run.slower());
    ASSERT_EQ(told.size(), found.size());
    for (size_t i = 0; i < told.size(); ++i) EXPECT_NEAR(told[i] / found[i], 1, 0.02);
  }
}

/// The share of a group's residuals in the ranges that other groups make of them, the mean over
/// groups.
TEST(PublishedResiduals, ranges_of_other_groups_hold_four_in_five) {
  std::map<std::string_view, std::pair<int, int>> groups;
  for (const ResidualRow& row : published_residuals()) {
    const Range range = range_of(row.regime(), row.group).range;
    groups[row.group].first += range.low <= row.slower && row.slower <= range.high;
    ++groups[row.group].second;
  }
  double sum = 0;
  for (const auto& [name, inside] : groups) sum += double(inside.first) / inside.second;
  const double coverage = sum / static_cast<double>(groups.size());
  EXPECT_GT(coverage, 0.75);
  EXPECT_LT(coverage, 0.85);
}

/// By how much a published run lies outside the range that others make, in the logarithm; below
/// zero where it is inside.
struct Outside {
  std::string_view source, group;
  double logarithm = 0;
};

/// Of all runs, the group or the whole source of each left out.
std::vector<Outside> outside(bool without_source) {
  std::vector<Outside> all;
  for (const ResidualRow& row : published_residuals()) {
    const std::string_view source = source_of(row.group);
    const Range range = range_of(row.regime(), without_source ? source : row.group).range;
    all.push_back({source, row.group,
                   std::max(std::log(range.low / row.slower), std::log(row.slower / range.high))});
  }
  return all;
}

/// What four in five runs of all sources but `left_out` lie outside by at most.
double four_in_five(const std::vector<Outside>& runs, std::string_view left_out = {}) {
  const std::map<std::string_view, double> weights = group_weights(published_residuals());
  std::vector<Weighed> sorted;
  for (const Outside& run : runs)
    if (run.source != left_out) sorted.push_back({run.logarithm, weights.at(run.group)});
  std::ranges::sort(sorted, {}, &Weighed::number);
  double all = 0, below = 0;
  for (const Weighed& one : sorted) all += one.weight;
  auto place = sorted.begin();
  while ((below += place->weight) < 0.8 * all) ++place;
  return place->number;
}

/// By how much ranges should be widened for four in five runs of all sources but `left_out` to be
/// inside: never by less than nothing. `runs` are of whole sources left out.
double widening(const std::vector<Outside>& runs, std::string_view left_out = {}) {
  return std::max(0.0, range_widening + four_in_five(runs, left_out));
}

// The nearest larger residual stands at most half a percent further.
TEST(PublishedResiduals, ranges_reach_as_far_as_sources_deviate) {
  EXPECT_NEAR(widening(outside(true)), range_widening, 0.005);
}

/// The mean over sources of the share of runs that lie outside by no more than `most` of the
/// source; a source's groups count alike.
template <class Most>
double mean_coverage(const std::vector<Outside>& runs, Most&& most) {
  std::map<std::string_view, std::map<std::string_view, std::pair<int, int>>> counts;
  for (const Outside& run : runs) {
    auto& [inside, all] = counts[run.source][run.group];
    inside += run.logarithm <= most(run.source);
    ++all;
  }
  double sum = 0;
  for (const auto& [source, groups] : counts)
    for (const auto& [group, count] : groups)
      sum += double(count.first) / count.second / static_cast<double>(groups.size());
  return sum / static_cast<double>(counts.size());
}

// A cluster or a framework that nobody has shown: neither its runs nor what ranges are widened by,
// which is found anew without it, know it.
TEST(PublishedResiduals, ranges_hold_for_sources_that_are_not_known) {
  const std::vector<Outside> runs = outside(true);
  std::map<std::string_view, double> widened;
  for (const Outside& run : runs)
    if (!widened.contains(run.source))
      widened[run.source] = widening(runs, run.source) - range_widening;
  const double coverage =
      mean_coverage(runs, [&](std::string_view source) { return widened.at(source); });
  EXPECT_GT(coverage, 0.7);
  EXPECT_LT(coverage, 0.9);
  const double as_shipped = mean_coverage(runs, [](std::string_view) { return 0.0; });
  EXPECT_GT(as_shipped, 0.7);
  EXPECT_LT(as_shipped, 0.9);
}

/// The mean over a source's groups of the share of runs inside, where neither residuals nor the
/// widening know the source.
double coverage_of_unknown(std::string_view source, size_t least_groups) {
  const std::vector<Outside> runs = outside(true);
  const double further = widening(runs, source) - range_widening;
  std::map<std::string_view, std::pair<int, int>> groups;
  for (const Outside& run : runs) {
    if (run.source != source) continue;
    auto& [inside, all] = groups[run.group];
    inside += run.logarithm <= further;
    ++all;
  }
  EXPECT_GE(groups.size(), least_groups);
  double sum = 0;
  for (const auto& [group, count] : groups) sum += double(count.first) / count.second;
  return sum / static_cast<double>(groups.size());
}

// nanotron on up to 64 nodes is a framework that no other source has, on nodes that few have.
TEST(PublishedResiduals, ranges_hold_for_a_framework_that_is_not_known) {
  const double coverage = coverage_of_unknown("ultrascale", 21);
  EXPECT_GT(coverage, 0.7);
  EXPECT_LT(coverage, 0.9);
}

// MLPerf's runs are almost all predicted too slow, by as much as few others.
TEST(PublishedResiduals, ranges_hold_for_a_collection_that_is_not_known) {
  const double coverage = coverage_of_unknown("mlperf", 5);
  EXPECT_GT(coverage, 0.7);
  EXPECT_LT(coverage, 0.9);
}

TEST(PublishedRuns, megatron_on_a100_and_h100_is_met) {
  expect_median("sc21_table1", 0.0032);
  expect_error("sc21_t2_ptdp_175b_384", 0.0236);
  // Its boundaries are sent in parts, as its authors' were, which leaves it 2.3 % fast.
  expect_error("sc21_t2_ptdp_530b_1120", 0.0231);
  expect_median("korthikanti_table5", 0.0460);
  expect_median("vtrain_multi_18p4b", 0.0530);
  // Until attention was measured, one that was too slow hid a part of this.
  expect_median("dgxc_8b", 0.0231);
}

TEST(PublishedRuns, sharded_weights_on_a100_are_met) {
  expect_median("lf_a100_40_7b", 0.0286);
  expect_median("lf_a100_80_13b", 0.0603);
  expect_median("lf_a100_80_350m", 0.0203);
  expect_median("lf_a100_40_125m", 0.0233);
  expect_median("lf_a100_40_1b", 0.0280);
  expect_error("lf_a100_40_1b_s32768_g8_mb1", 0.0643);
}

// Hosts run ahead over tensor-parallel collectives; small models wait for theirs.
TEST(PublishedRuns, hosts_hold_up_small_models_and_not_large_ones) {
  expect_median("mlperf_v31_gpt3", 0.0199);
  expect_median("mbridge_llama3_70b", 0.0224);
  expect_median("vtrain_single_h1024_l20", 0.0464);
}

// PyTorch's own kernels; the first FlashAttention on H100, up to 65,536 tokens.
TEST(PublishedRuns, sharded_weights_on_h100_are_met_to_a_tenth) {
  expect_median("lf_h100_bf16_3b", 0.0143);
  expect_error("lf_h100_bf16_3b_s65536_g8_mb1", 0.0083);
  expect_error("tt_8b_g8_eager", 0.0154);
  expect_median("torchtitan_t1", 0.0323);
  expect_median("torchtitan_asynctp", 0.0405);
}

// Early DeepSpeed waited for weights and copied them.
TEST(PublishedRuns, sharded_weights_of_2021_are_met) {
  expect_error("sc21_t2_zero3_175b_384", 0.0481);
  expect_error("sc21_t2_zero3_530b_640", 0.0228);
}

TEST(PublishedRuns, bert_binned_by_length_is_met) { expect_median("dle_bert_dgx_a100_80", 0.0182); }

}  // namespace
}  // namespace pipewright::test
