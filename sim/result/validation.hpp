// Compares measured runs with what was predicted of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "result/regime.hpp"
#include "result/reliability.hpp"

namespace pipewright {

/// The measured or the predicted outcome of a run; empty where nobody says.
struct Outcome {
  std::optional<double> iteration_time_s, samples_per_s;
  std::optional<double> peak_memory_bytes;
  std::optional<bool> feasible;
};

/// The predicted range of a measured time, both as multiples of the predicted one.
struct Range {
  double low = 1, high = 1;
};

struct ValidationRun {
  std::string name, group, group_title;
  Outcome measured;
  std::optional<Outcome> predicted;  ///< complete; empty where there is a reason
  std::optional<Range> range;        ///< by published runs of other groups
  Regime regime;
  std::string reason;  ///< why nothing can be predicted

  /// (predicted - measured) / measured of iteration time, or of samples per second where only they
  /// were measured.
  std::optional<double> error() const;
  std::optional<double> memory_error() const;
  /// The measured iteration time over the predicted one; of samples per second the inverse.
  std::optional<double> slower() const;
};

/// Errors of several runs. What needs more runs than there are is empty.
struct Accuracy {
  int runs = 0, predicted = 0;
  std::optional<double> median_abs_error, p90_abs_error, mean_abs_error;
  std::optional<double> memory_median_abs_error;
  std::optional<double> rank_correlation;  ///< Spearman's, of iteration times
  /// How much slower the run with the shortest prediction was measured to be than the fastest.
  std::optional<double> regret;
  /// Overall: of the groups of five or more, those whose regret is at most 2 %.
  std::optional<double> picked_within_2_percent;
  std::optional<double> coverage;  ///< share of the measured times that are in their ranges
  std::optional<double> width;     ///< median of the ranges' widths, over the prediction
  /// Of all pairs of the group: the mean square of how far the probability that one is faster than
  /// the other was from what was measured (Brier's score; 0.25 is a coin's).
  std::optional<double> brier;
  std::optional<double> oom_recall;  ///< share of the runs out of memory that were said not to fit
  std::optional<double> false_oom;   ///< share of the runs that did run and were said not to fit
};

struct GroupAccuracy {
  std::string name;
  std::string title;  ///< empty where the file of runs gives none
  Accuracy accuracy;
};

struct Validation {
  std::vector<ValidationRun> runs;
  std::vector<GroupAccuracy> groups;  ///< in the order in which they first appear
  /// Errors are percentiles and mean of the groups' medians, each group weighing one; rank
  /// correlation and regret the mean over groups of five or more; memory told by run.
  Accuracy overall;
  /// Of all pairs of runs inside groups.
  std::vector<ReliabilityRow> reliability;
};

Validation validation_of(std::vector<ValidationRun> runs);

/// Linear between order statistics; `values` need not be sorted. Empty where there are none.
std::optional<double> percentile(std::vector<double> values, double p);
/// Spearman's rank correlation, ties sharing their mean rank; empty below two pairs or where one
/// side is constant.
std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace pipewright
