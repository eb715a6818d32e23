#include "result/typical_time.hpp"

namespace pipewright {

Time typical_time(const RunResult& result) {
  const std::optional<Quantiles>& draws = result.ranges.variation;
  return draws ? draws->p50 : result.metrics.iteration;
}

double typical_slowdown(const RunResult& result) {
  const double unvaried = in_seconds(result.metrics.iteration);
  return unvaried > 0 ? in_seconds(typical_time(result)) / unvaried : 1;
}

std::optional<double> typical_time_to_train_s(const RunResult& result) {
  if (!result.training.time_s) return std::nullopt;
  return *result.training.time_s * typical_slowdown(result);
}

std::optional<TimeRange> typical_range(const RunResult& result) {
  const std::optional<Uncertainty>& known = result.ranges.uncertainty;
  if (!known) return std::nullopt;
  const double slowdown = typical_slowdown(result);
  return TimeRange{in_seconds(known->p10) * slowdown, in_seconds(known->p90) * slowdown};
}

int seeds_of(const RunResult& result) {
  return result.ranges.variation ? result.ranges.variation->seeds : 0;
}

}  // namespace pipewright
