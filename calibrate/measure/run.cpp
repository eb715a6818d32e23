#include "calibrate/measure/run.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "calibrate/train/layers/random.hpp"

namespace pipewright::calibration {
namespace {

using Clock = std::chrono::steady_clock;

bool any_profile_needs(const Point& point) {
  return point.kernel == "launch" || point.kernel == "copy";
}

/// Fisher and Yates; then what matters most is brought to the front.
void shuffle(std::vector<Point>& points, uint64_t seed) {
  train::Random random(seed);
  for (size_t i = points.size(); i > 1; --i)
    std::swap(points[i - 1], points[static_cast<size_t>(random.index(static_cast<int32_t>(i)))]);
  std::stable_partition(points.begin(), points.end(), any_profile_needs);
}

}  // namespace

size_t run_sweep(Bench& bench, std::vector<Point> points, const std::vector<Measured>& known,
                 const RunOptions& options,
                 const std::function<void(const Measured&, const Progress&)>& measured) {
  std::set<Point> done;
  for (const Measured& m : known) done.insert(m.point);
  std::erase_if(points, [&](const Point& point) { return done.contains(point); });
  shuffle(points, options.seed);
  const auto start = Clock::now();
  for (size_t i = 0; i < points.size(); ++i) {
    Measured m = sample(bench.prepare(points[i]), options.sampler);
    m.point = points[i];
    const double spent = std::chrono::duration<double>(Clock::now() - start).count();
    const double each = spent / static_cast<double>(i + 1);
    const double left = each * static_cast<double>(points.size() - i - 1);
    measured(m, {.done = i + 1,
                 .all = points.size(),
                 .seconds = spent,
                 .left_s = std::min(left, options.most_s - spent)});
    if (spent >= options.most_s) return points.size() - i - 1;
  }
  return 0;
}

}  // namespace pipewright::calibration
