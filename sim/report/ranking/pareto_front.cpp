#include "report/ranking/pareto_front.hpp"

#include <algorithm>
#include <numeric>

namespace pipewright {

// Sorted by the first objective, a run can only be beaten by one before it or equal to it.
std::vector<bool> pareto_front(const std::vector<std::vector<double>>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<bool> front(values.size());
  std::vector<size_t> kept;
  for (const size_t candidate : order) {
    const auto beats = [&](size_t other) {
      bool better = false;
      for (size_t i = 0; i < values[candidate].size(); ++i) {
        if (values[other][i] > values[candidate][i]) return false;
        better |= values[other][i] < values[candidate][i];
      }
      return better;
    };
    if (std::any_of(kept.begin(), kept.end(), beats)) continue;
    front[candidate] = true;
    kept.push_back(candidate);
  }
  return front;
}

}  // namespace pipewright
