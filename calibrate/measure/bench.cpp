#include "calibrate/measure/bench.hpp"

#include <chrono>

namespace pipewright::calibration {

void Bench::copy_elsewhere(int64_t elements) {
  if (!elsewhere_) {
    elsewhere_ = kernels().array(1, elements);
    elsewhere_copy_ = kernels().array(1, elements);
    kernels().zero(elsewhere_);
  }
  kernels().copy(elsewhere_, elsewhere_copy_);
}

TimedCalls Bench::prepare_cold(const Point& point) {
  return [this, body = bodies().of(point)](int calls) {
    double taken = 0;
    for (int i = 0; i < calls; ++i) taken += time_cold(body);
    return taken;
  };
}

TimedCalls Bench::prepare_beside(const Point& point, int channels, double& moved) {
  return beside(bodies().of(point), channels, moved);
}

double Bench::allocation_seconds(int64_t elements) {
  const auto start = std::chrono::steady_clock::now();
  kernels().zero(kernels().array(1, elements));
  kernels().synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TimedCalls Bench::prepare(const Point& point) {
  return [this, body = bodies().of(point)](int calls) { return time(body, calls); };
}

}  // namespace pipewright::calibration
