// How much the residuals of published runs say of a run, and quantiles of numbers that weigh
// unequally.
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "result/ranges.hpp"

namespace pipewright {

/// Returns the source of a group: "dgxc" of "dgxc2411_nemotron15b".
std::string_view source_of(std::string_view group);

/// Returns how much of a published run's residual holds for a run of this regime, above 0.
double likeness(const Regime& regime, const ResidualRow& row);

/// Returns how much a run of each group counts: all runs of a group as one, of a source as the root
/// of its groups.
std::map<std::string_view, double> group_weights(std::span<const ResidualRow> rows);

/// Repeats of one run differ by 0.2 to 2 % (workloads/validation/README.md).
inline constexpr double repeat_deviation = 0.01;
/// Doublings of nodes over which runs grow unlike: a deviation of the normal curve.
inline constexpr double alike_doublings = 1.5;

/// A residual's logarithm, or another number of a run.
struct Weighed {
  double number = 0, weight = 0;
};

/// Returns the number up to which there is `share` of the weight. `sorted`, by their numbers, holds
/// at least one.
double quantile(const std::vector<Weighed>& sorted, double share);

/// Returns the range between the 10th and the 90th percentile, as factors around 1, no narrower
/// than runs repeat. `residuals` holds at least one.
Range range_between_deciles(std::vector<Weighed> residuals);

}  // namespace pipewright
