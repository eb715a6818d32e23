// Measures a sweep: in random order, so that what drifts with time does not look like a matter of
// shape.
#pragma once

#include <functional>

#include "calibrate/measure/bench.hpp"

namespace pipewright::calibration {

struct RunOptions {
  SamplerOptions sampler;
  double most_s = 300;  ///< for all points; those that are left then are not measured
  uint64_t seed = 1;
};

struct Progress {
  size_t done = 0, all = 0;
  double seconds = 0, left_s = 0;
};

/// The points that are not among `known`, each given to `measured` when it is there. Points that
/// any profile needs come first. Returns how many were left out for want of time.
size_t run_sweep(Bench& bench, std::vector<Point> points, const std::vector<Measured>& known,
                 const RunOptions& options,
                 const std::function<void(const Measured&, const Progress&)>& measured);

}  // namespace pipewright::calibration
