// Totals that several reports give of a run: the most that any of its ranks holds.
#pragma once

#include "result/run_result.hpp"

namespace pipewright {

struct Totals {
  Bytes peak_memory;
  int peak_in_flight = 0, peak_in_flight_to_weight_gradient = 0;
  int weight_versions = 0, staleness = 0;
  bool operator==(const Totals&) const = default;
};

/// The largest value of each over the ranks.
Totals totals(const RunResult& result);

}  // namespace pipewright
