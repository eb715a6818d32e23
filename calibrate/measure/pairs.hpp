// Latency and bandwidth between every two ranks.
#pragma once

#include <functional>
#include <vector>

#include "calibrate/transport/session.hpp"

namespace pipewright::calibration {

struct PairOptions {
  int pings = 20, messages = 3;
  size_t bytes = size_t{4} << 20;  ///< of a message
};

/// The times from one rank to another.
struct PairTimes {
  double latency_s = 0, bytes_per_s = 0;
};

/// Measures from this rank to each, by rank; its own entry stays empty. All ranks call it together;
/// `met` is told after each round.
std::vector<PairTimes> measure_pairs(transport::Session& session, const PairOptions& options,
                                     const std::function<void(int round)>& met);

}  // namespace pipewright::calibration
