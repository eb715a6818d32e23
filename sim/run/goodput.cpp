#include "run/goodput.hpp"

#include <cmath>

namespace pipewright {

double goodput(const Failures& failures, int devices, double interval_s) {
  const double mtbf = failures.device_mtbf_s / devices;
  const double segment = interval_s + failures.checkpoint_time_s;
  return interval_s / mtbf * std::exp(-failures.restart_time_s / mtbf) / std::expm1(segment / mtbf);
}

// With x = t / M in (0, 1): x + c / M + log(1 - x) = 0, whose left side falls as x grows.
double best_interval(const Failures& failures, int devices) {
  const double mtbf = failures.device_mtbf_s / devices;
  const double checkpoint = failures.checkpoint_time_s / mtbf;
  double low = 0, high = 1;
  for (int halving = 0; halving < 100; ++halving) {
    const double x = (low + high) / 2;
    (x + checkpoint + std::log1p(-x) > 0 ? low : high) = x;
  }
  return low * mtbf;
}

double goodput(const Failures& failures, int devices) {
  const double interval = failures.checkpoint_interval_s.value_or(best_interval(failures, devices));
  return interval > 0 ? goodput(failures, devices, interval) : 0;
}

}  // namespace pipewright
