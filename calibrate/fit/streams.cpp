#include "calibrate/fit/streams.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "calibrate/fit/held_out.hpp"
#include "calibrate/fit/least_squares.hpp"

namespace pipewright::fit {
namespace {

using Samples = std::vector<StreamSample>;

constexpr double outlier = 0.1;  // of a logarithm; beyond it a point counts linearly
constexpr size_t least_sizes = 5;
constexpr double worth_a_step = 0.8;   // of the sum of squares that is left
constexpr size_t least_on_a_side = 2;  // sizes
constexpr size_t folds = 5;
/// The pull of a parameter to where it started, as in kernels.cpp.
constexpr double pull = 0.05 / 2;

std::vector<double> sizes_of(const Samples& samples) {
  std::set<double> sizes;
  for (const StreamSample& s : samples) sizes.insert(s.bytes);
  return {sizes.begin(), sizes.end()};
}

/// Parameters are logarithms: of the latency, the bandwidth and, with a cache, what the bandwidth
/// in it is more.
StreamConstants constants_from(const std::vector<double>& p, double cache_bytes) {
  StreamConstants c{.latency_s = std::exp(p[0]), .bytes_per_s = std::exp(p[1])};
  if (cache_bytes > 0) {
    c.cache_bytes = cache_bytes;
    c.cached_per_s = c.bytes_per_s * (1 + std::exp(p[2]));
  }
  return c;
}

std::vector<double> start_of(const Samples& samples, double cache_bytes) {
  double shortest = samples.front().seconds, fastest = 0;
  for (const StreamSample& s : samples) {
    shortest = std::min(shortest, s.seconds);
    fastest = std::max(fastest, s.bytes / s.seconds);
  }
  std::vector<double> start = {std::log(shortest / 2), std::log(fastest)};
  if (cache_bytes > 0) start.push_back(0);
  return start;
}

struct Line {
  StreamConstants constants;
  double squares = 0;
};

Line line_of(const Samples& samples, double cache_bytes) {
  const std::vector<double> start = start_of(samples, cache_bytes);
  const auto residuals = [&](const std::vector<double>& p) {
    const StreamConstants c = constants_from(p, cache_bytes);
    std::vector<double> all;
    for (const StreamSample& s : samples)
      all.push_back(robust(std::log(c.seconds(s.bytes) / s.seconds), outlier));
    for (size_t i = 0; i < p.size(); ++i) all.push_back(pull * (p[i] - start[i]));
    return all;
  };
  const std::vector<double> best = least_squares(residuals, start);
  Line line{.constants = constants_from(best, cache_bytes)};
  for (const double r : residuals(best)) line.squares += r * r;
  return line;
}

/// The best of no step and a step between any two sizes.
StreamConstants best_line(const Samples& samples) {
  const Line plain = line_of(samples, 0);
  Line best = plain;
  const std::vector<double> sizes = sizes_of(samples);
  for (size_t i = least_on_a_side; i + least_on_a_side <= sizes.size(); ++i) {
    const Line stepped = line_of(samples, std::sqrt(sizes[i - 1] * sizes[i]));
    if (stepped.squares < std::min(best.squares, worth_a_step * plain.squares)) best = stepped;
  }
  return best.constants;
}

/// Predicted over measured at every sample, by fits that did not see its fifth.
std::vector<double> unseen_ratios(const Samples& samples) {
  std::vector<double> ratios;
  for (size_t fold = 0; fold < folds; ++fold) {
    Samples seen, held;
    for (size_t i = 0; i < samples.size(); ++i)
      (i % folds == fold ? held : seen).push_back(samples[i]);
    const StreamConstants constants = best_line(seen);
    for (const StreamSample& s : held) ratios.push_back(constants.seconds(s.bytes) / s.seconds);
  }
  return ratios;
}

/// Twice too long is as bad as twice too short.
double median_factor(std::vector<double> ratios) {
  for (double& ratio : ratios) ratio = std::abs(std::log(ratio));
  const auto middle = ratios.begin() + std::ssize(ratios) / 2;
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

HeldOutError error_of(std::vector<double> ratios) {
  for (double& ratio : ratios) ratio = std::abs(ratio - 1);
  return percentiles("each fifth of the points in turn", std::move(ratios));
}

}  // namespace

std::optional<StreamProfile> fit_stream(Kernel kernel, bool gradient,
                                        std::span<const StreamSample> given,
                                        const std::function<double(double)>& otherwise) {
  Samples samples;
  for (const StreamSample& s : given)
    if (s.bytes > 0 && s.seconds > 0) samples.push_back(s);
  std::sort(samples.begin(), samples.end(), [](const StreamSample& a, const StreamSample& b) {
    return std::pair(a.bytes, a.seconds) < std::pair(b.bytes, b.seconds);
  });
  if (sizes_of(samples).size() < least_sizes) return std::nullopt;
  const std::vector<double> ratios = unseen_ratios(samples);
  std::vector<double> others;
  for (const StreamSample& s : samples) others.push_back(otherwise(s.bytes) / s.seconds);
  if (median_factor(ratios) >= median_factor(others)) return std::nullopt;
  return StreamProfile{.kernel = kernel,
                       .gradient = gradient,
                       .constants = best_line(samples),
                       .most_bytes = samples.back().bytes,
                       .held_out = {error_of(ratios)}};
}

}  // namespace pipewright::fit
