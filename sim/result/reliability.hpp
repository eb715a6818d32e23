// Whether probabilities that one run is faster than another came true.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace pipewright {

/// Two runs of a group whose measured times differ.
struct JudgedPair {
  /// The probability of the one that was said to be the faster, at least 0.5.
  double favoured = 0.5;
  double faster = 0;  ///< 1 where it was, 0 where not, half where neither was favoured
};

/// Returns all pairs of a group of runs whose times, in the same unit, were predicted and measured.
std::vector<JudgedPair> judged_pairs(std::span<const double> predicted,
                                     std::span<const double> measured);

/// Returns the mean square of how far the probabilities were from what was measured; empty without
/// pairs (Brier, Monthly Weather Review 78, 1950).
std::optional<double> brier_score(std::span<const JudgedPair> pairs);

/// Pairs whose probabilities lie in a tenth from 0.5 to 1.
struct ReliabilityRow {
  double low = 0, high = 0;
  int pairs = 0;
  double favoured = 0;  ///< mean probability
  double faster = 0;    ///< the share that came true
};

/// Returns a row for each tenth that has pairs. The pairs of each group weigh as one.
std::vector<ReliabilityRow> reliability(const std::vector<std::vector<JudgedPair>>& groups);

}  // namespace pipewright
