// How far off the predictions of published runs were, of those most that are like a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "result/regime.hpp"

namespace pipewright {

/// A published group. Its error is the median of predicted over measured, less 1: of its runs those
/// weigh most that are like the run at hand.
struct LikeGroup {
  std::string_view name;
  double error = 0;
};

struct LikeRuns {
  double half_within = 0;         ///< half of the runs, by weight, were off by at most this
  std::vector<LikeGroup> likest;  ///< the three groups that weigh most, the first most of all

  /// "half of them were predicted within 4 %. The most alike are dgxc_8b (predicted 2 % too fast),
  /// ..."; nothing of no runs.
  std::string text() const;
};

/// Returns the errors of all published runs as ranges weigh them (result/ranges.hpp); none where
/// the experiment gives its times, which no published run does.
LikeRuns like_runs(const Regime& regime);

}  // namespace pipewright
