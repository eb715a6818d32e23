// `failures`: how often devices fail, and what checkpoints and restarts take.
#pragma once

#include <optional>

#include "config/value.hpp"

namespace pipewright {

struct Failures {
  double device_mtbf_s = 0;
  std::optional<double> checkpoint_interval_s;  ///< empty: the best one
  double checkpoint_time_s = 0, restart_time_s = 0;
};

/// Reads `{device_mtbf: 50000 h, checkpoint_interval: 30 min, checkpoint_time: 60 s, restart_time:
/// 10 min}`.
Failures read_failures(const config::Value& value);

}  // namespace pipewright
