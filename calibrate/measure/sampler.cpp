#include "calibrate/measure/sampler.hpp"

#include <algorithm>
#include <cmath>

namespace pipewright::calibration {
namespace {

constexpr double outlier = 5;          // median distances from the median
constexpr double least_spread = 1e-3;  // of the median: a clock's ticks make no outliers
constexpr size_t most_outliers = 4;    // one in so many; more are the kernel's own doing
constexpr int most_calls = 100'000;

double percentile(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return percentile(values, 0.5);
}

/// Calls that fill a sample, found while warming up; `spent` gets the time.
int calls_in_sample(const TimedCalls& run, const SamplerOptions& options, double& spent) {
  int calls = 1;
  while (true) {
    const double took = run(calls);
    spent += took;
    if (took >= options.sample_s || calls >= most_calls || spent >= options.most_s / 2)
      return calls;
    const double wanted = took > 0 ? options.sample_s / took * calls * 1.2 : calls * 10.0;
    calls = std::clamp(static_cast<int>(std::ceil(wanted)), calls + 1,
                       std::min(calls * 10, most_calls));
  }
}

}  // namespace

Measured summarise(std::vector<double> seconds) {
  Measured m;
  if (seconds.empty()) return m;
  const double middle = median_of(seconds);
  std::vector<double> distances;
  for (const double s : seconds) distances.push_back(std::abs(s - middle));
  const double most = outlier * std::max(median_of(distances), least_spread * middle);
  const auto kept = std::partition(seconds.begin(), seconds.end(),
                                   [&](double s) { return std::abs(s - middle) <= most; });
  const auto far = static_cast<size_t>(seconds.end() - kept);
  if (far <= seconds.size() / most_outliers) {
    m.outliers = static_cast<int>(far);
    seconds.erase(kept, seconds.end());
  }
  std::sort(seconds.begin(), seconds.end());
  m.median_s = percentile(seconds, 0.5);
  m.p10_s = percentile(seconds, 0.1);
  m.p90_s = percentile(seconds, 0.9);
  m.repetitions = static_cast<int>(seconds.size());
  return m;
}

Measured sample(const TimedCalls& run, const SamplerOptions& options) {
  double spent = run(1);  // the first call touches memory and loads code
  const int calls = calls_in_sample(run, options, spent);
  std::vector<double> seconds;
  Measured m;
  do {
    const double took = run(calls);
    spent += took;
    seconds.push_back(took / calls);
    if (static_cast<int>(seconds.size()) < options.least_samples) continue;
    m = summarise(seconds);
    m.steady = m.spread() <= options.enough;
  } while (!m.steady && spent < options.most_s);
  if (m.repetitions == 0) m = summarise(std::move(seconds));
  return m;
}

}  // namespace pipewright::calibration
