#include "result/totals.hpp"

#include <algorithm>

namespace pipewright {

Totals totals(const RunResult& result) {
  Totals most;
  for (const RankResult& rank : result.metrics.ranks) {
    most.peak_memory = std::max(most.peak_memory, rank.memory.total());
    most.peak_in_flight = std::max(most.peak_in_flight, rank.peak_in_flight);
    most.peak_in_flight_to_weight_gradient =
        std::max(most.peak_in_flight_to_weight_gradient, rank.peak_in_flight_to_weight_gradient);
    most.weight_versions = std::max(most.weight_versions, rank.weight_versions);
    most.staleness = std::max(most.staleness, rank.staleness);
  }
  return most;
}

}  // namespace pipewright
