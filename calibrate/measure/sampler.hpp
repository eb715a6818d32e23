// Decides how often a kernel is run before its time is believed.
#pragma once

#include <functional>
#include <vector>

#include "calibrate/measure/point.hpp"

namespace pipewright::calibration {

struct SamplerOptions {
  double sample_s = 100e-6;  ///< a sample is as many calls as take this long
  double enough = 0.01;      ///< spread at which a point is done
  double most_s = 0.15;      ///< time for one point, warm-up included
  int least_samples = 7;
};

/// Runs the kernel so many times in a row; returns the seconds that they took together.
using TimedCalls = std::function<double(int calls)>;

/// Warms up, finds how many calls make a sample, then samples until the median is known well enough
/// or time is up. Samples further from the median than 5 times the median distance are thrown away
/// (an interrupt, a change of clock). Leaves `point` empty.
Measured sample(const TimedCalls& run, const SamplerOptions& options);

/// The statistics of seconds for one call.
Measured summarise(std::vector<double> seconds);

}  // namespace pipewright::calibration
