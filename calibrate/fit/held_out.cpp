#include "calibrate/fit/held_out.hpp"

#include <algorithm>
#include <cmath>

namespace pipewright::fit {
namespace {

/// Steele, Lea and Flood's mixing function (SplitMix, OOPSLA 2014) over the sizes.
uint64_t hash(const Sample& sample, size_t count) {
  uint64_t state = 0x9e3779b97f4a7c15;
  for (size_t i = 0; i < count; ++i) {
    state += static_cast<uint64_t>(sample.sizes[i]) * 0x9e3779b97f4a7c15;
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
    state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
    state ^= state >> 31;
  }
  return state;
}

Cut cut(const PointTable& table, uint64_t parts, size_t sizes) {
  Cut cut;
  for (const Sample& sample : samples_of(table))
    (hash(sample, sizes) % parts == 0 ? cut.held : cut.seen).push_back(sample);
  return cut;
}

double percentile(const std::vector<double>& sorted, double p) {
  return sorted.empty() ? 0
                        : sorted[static_cast<size_t>(p * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

Cut cut_points(const PointTable& table, uint64_t parts) {
  return cut(table, parts, table.keys->count + 1);
}

Cut cut_rows(const PointTable& table, uint64_t parts) {
  return cut(table, parts, table.keys->count);
}

HeldOutError error_at(const std::string& points, const std::vector<Sample>& samples,
                      const std::function<double(const Sample&)>& predicted) {
  std::vector<double> errors;
  for (const Sample& sample : samples)
    errors.push_back(std::abs(predicted(sample) / sample.seconds - 1));
  return percentiles(points, std::move(errors));
}

HeldOutError percentiles(const std::string& points, std::vector<double> errors) {
  std::sort(errors.begin(), errors.end());
  return {points, static_cast<int64_t>(errors.size()), percentile(errors, 0.5),
          percentile(errors, 0.9), percentile(errors, 0.95)};
}

}  // namespace pipewright::fit
