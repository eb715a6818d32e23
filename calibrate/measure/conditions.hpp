// Measures what a profile says besides kernels that run alone, warm and on one core.
#pragma once

#include "calibrate/measure/bench.hpp"
#include "calibrate/measure/machine_state.hpp"
#include "cost/conditions.hpp"

namespace pipewright::calibration {

struct ConditionOptions {
  bool quick = false;
  SamplerOptions sampler{.most_s = 0.03};
};

/// Watches a calibration from its beginning to its end.
class Watch {
 public:
  explicit Watch(Bench& bench);
  Steadiness finish();

 private:
  double product();
  Bench& bench_;
  MachineState first_;
  double first_s_;
};

/// Returns what is measured beside something: products and an addition, in a quick calibration one
/// product.
std::vector<Point> kernels_beside(bool gpu, bool quick);
/// Bytes that one of them cannot do without.
double least_bytes(const Point& point);

/// Products and an addition beside 1, 2, ... copying channels; the same in no cache; allocations;
/// one product on every core in turn. `launch_s` and `memory_bandwidth` (bytes/s) were measured
/// before.
Conditions measure_conditions(Bench& bench, double launch_s, double memory_bandwidth,
                              const ConditionOptions& options);

}  // namespace pipewright::calibration
