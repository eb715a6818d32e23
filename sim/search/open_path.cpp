// Up to nine points by the least length for every set of points passed and the last of them
// (Held, Karp). Beyond, the nearest neighbour from every start, then 2-opt: parts are turned round
// as long as that helps. The least tree is Prim's.
#include "search/open_path.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace pipewright::search {
namespace {

constexpr int64_t never = std::numeric_limits<int64_t>::max();
constexpr int most_exact_points = 9;

/// By set of points passed and the last of them: the least length, and the point before.
struct Passed {
  std::vector<int64_t> least;
  std::vector<int> before;
};

Passed pass_all(const std::vector<int64_t>& distance, int n) {
  const size_t sets = size_t{1} << n;
  Passed passed{std::vector<int64_t>(sets * n, never), std::vector<int>(sets * n, -1)};
  for (int i = 0; i < n; ++i) passed.least[(size_t{1} << i) * n + i] = 0;
  for (size_t set = 1; set < sets; ++set) {
    for (int last = 0; last < n; ++last) {
      const int64_t here = passed.least[set * n + last];
      if (here == never) continue;
      for (int next = 0; next < n; ++next) {
        if (set >> next & 1) continue;
        const size_t at = (set | size_t{1} << next) * n + next;
        const int64_t there = here + distance[static_cast<size_t>(last) * n + next];
        if (there <= passed.least[at]) passed.least[at] = there, passed.before[at] = last;
      }
    }
  }
  return passed;
}

OpenPath exact_path(const std::vector<int64_t>& distance, int n) {
  const Passed passed = pass_all(distance, n);
  size_t set = (size_t{1} << n) - 1;
  int last = n - 1;
  for (int i = last; i >= 0; --i)
    if (passed.least[set * n + i] < passed.least[set * n + last]) last = i;
  OpenPath path{passed.least[set * n + last], {}};
  while (last >= 0) {
    path.order.push_back(last);
    const int previous = passed.before[set * n + last];
    set ^= size_t{1} << last;
    last = previous;
  }
  std::ranges::reverse(path.order);
  return path;
}

/// Returns the path that goes on to the nearest point each time; an endless one as soon as it
/// cannot be shorter than `most`, no step of any being below `least`.
OpenPath nearest_first(const std::vector<int64_t>& distance, int n, int start, int64_t least,
                       int64_t most) {
  OpenPath path{0, std::vector<int>(n)};
  std::iota(path.order.begin(), path.order.end(), 0);
  std::swap(path.order.front(), path.order[start]);
  for (int i = 1; i < n; ++i) {
    const size_t row = static_cast<size_t>(path.order[i - 1]) * n;
    const auto near = std::min_element(path.order.begin() + i, path.order.end(), [&](int a, int b) {
      return std::pair(distance[row + a], a) < std::pair(distance[row + b], b);
    });
    std::swap(path.order[i], *near);
    path.length += distance[row + path.order[i]];
    if (path.length + (n - 1 - i) * least >= most) return {never, {}};
  }
  return path;
}

/// Returns how much longer a path is once its part [i, j) is turned round: only its two ends
/// change.
int64_t turned(const std::vector<int64_t>& distance, const std::vector<int>& order, int i, int j) {
  const size_t n = order.size();
  int64_t change = 0;
  if (i > 0) {
    const size_t row = order[i - 1] * n;
    change += distance[row + order[j - 1]] - distance[row + order[i]];
  }
  if (j < static_cast<int>(n)) {
    const size_t row = order[j] * n;
    change += distance[row + order[i]] - distance[row + order[j - 1]];
  }
  return change;
}

void improve(const std::vector<int64_t>& distance, OpenPath& path) {
  const auto n = static_cast<int>(path.order.size());
  for (bool better = true; better;) {
    better = false;
    for (int i = 0; i < n; ++i) {
      for (int j = i + 2; j <= n; ++j) {
        const int64_t change = turned(distance, path.order, i, j);
        if (change >= 0) continue;
        std::reverse(path.order.begin() + i, path.order.begin() + j);
        path.length += change;
        better = true;
      }
    }
  }
}

}  // namespace

OpenPath shortest_path(const std::vector<int64_t>& distance, int points) {
  if (points <= most_exact_points) return exact_path(distance, points);
  int64_t least = never;
  for (int i = 0; i < points; ++i)
    for (int j = 0; j < i; ++j)
      least = std::min(least, distance[static_cast<size_t>(i) * points + j]);
  OpenPath best{never, {}};
  for (int start = 0; start < points; ++start) {
    OpenPath path = nearest_first(distance, points, start, least, best.length);
    if (path.length < best.length) best = std::move(path);
  }
  improve(distance, best);
  return best;
}

int64_t least_tree(const std::vector<int64_t>& distance, int points) {
  std::vector<int64_t> nearest(points, never);  // of those outside, from the tree
  std::vector<bool> joined(points);
  int64_t length = 0;
  for (int last = 0, n = 1; n < points; ++n) {
    joined[last] = true;
    int next = -1;
    for (int i = 0; i < points; ++i) {
      if (joined[i]) continue;
      nearest[i] = std::min(nearest[i], distance[static_cast<size_t>(last) * points + i]);
      if (next < 0 || nearest[i] < nearest[next]) next = i;
    }
    length += nearest[next];
    last = next;
  }
  return length;
}

}  // namespace pipewright::search
