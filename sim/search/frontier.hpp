// The time-memory frontier of a chain of links, each run under one of several strategies:
// TensorOpt's frontier tracking.
#pragma once

#include <functional>
#include <vector>

#include "base/units.hpp"

namespace pipewright::search {

struct Cost {
  Time time;
  Bytes memory;
};

/// A strategy for all links that no other strategy beats in both.
struct FrontierPoint {
  Time time;
  Bytes memory;
  std::vector<int> strategies;  ///< by link
};

struct FrontierProblem {
  std::vector<std::vector<Cost>> links;  ///< by link and strategy
  /// Returns the time between link `link` run under strategy `a` and the next one under strategy
  /// `b`.
  std::function<Time(size_t link, int a, int b)> edge;
};

/// Ascending in time, descending in memory. Needs a link with a strategy.
std::vector<FrontierPoint> frontier(const FrontierProblem& problem);

}  // namespace pipewright::search
