// The time-memory frontier of a chain of links, each run in one of several ways: TensorOpt's
// frontier tracking.
#pragma once

#include <functional>
#include <vector>

#include "base/units.hpp"

namespace pipewright::search {

struct Cost {
  Time time;
  Bytes memory;
};

/// A way to run all links that no other way beats in both.
struct FrontierPoint {
  Time time;
  Bytes memory;
  std::vector<int> ways;  ///< by link
};

struct FrontierProblem {
  std::vector<std::vector<Cost>> links;  ///< by link and way
  /// Between link `link` run in way `a` and the next one in way `b`.
  std::function<Time(size_t link, int a, int b)> edge;
};

/// Ascending in time, descending in memory. Needs a link with a way.
std::vector<FrontierPoint> frontier(const FrontierProblem& problem);

}  // namespace pipewright::search
