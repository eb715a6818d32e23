#include "result/best_probability.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pipewright {
namespace {

constexpr double farthest = 6, step = 0.1;  // in deviations

double above(double z) { return std::erfc(z / std::sqrt(2.0)) / 2; }

double density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * M_PI); }

/// Returns how many deviations each candidate is behind the best; infinitely many without a time.
std::vector<double> places_of(std::span<const std::optional<double>> times_s, double deviation) {
  constexpr double never = std::numeric_limits<double>::infinity();
  double least = never;
  for (const auto& time : times_s)
    if (time && *time > 0) least = std::min(least, *time);
  std::vector<double> places;
  for (const auto& time : times_s)
    places.push_back(time && *time > 0 ? std::log(*time / least) / deviation : never);
  return places;
}

/// Adds at a time, in deviations behind the best, how dense each candidate is there while all
/// others are later.
void add_at(double at, std::span<const double> places, std::vector<double>& sums) {
  const auto later = [&](double place) { return std::max(above(at - place), 1e-300); };
  double all_later = 0;  // the logarithm of the product
  for (const double place : places)
    if (place < 2 * farthest) all_later += std::log(later(place));
  for (size_t i = 0; i < places.size(); ++i)
    if (places[i] < 2 * farthest)
      sums[i] += density(at - places[i]) * std::exp(all_later - std::log(later(places[i])));
}

}  // namespace

double faster_probability(double first_s, double second_s, double deviation) {
  return above(std::log(first_s / second_s) / (std::sqrt(2.0) * deviation));
}

std::vector<double> best_probabilities(std::span<const std::optional<double>> times_s,
                                       double deviation) {
  const std::vector<double> places = places_of(times_s, deviation);
  std::vector<double> probabilities(times_s.size(), 0);
  for (double at = -farthest; at <= farthest; at += step) add_at(at, places, probabilities);
  const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  for (double& p : probabilities) p = sum > 0 ? p / sum : 0;
  return probabilities;
}

std::vector<int> shared_ranks(std::span<const std::optional<double>> times_s, double deviation) {
  constexpr double sure = 0.8;
  std::vector<size_t> order;
  for (size_t i = 0; i < times_s.size(); ++i)
    if (times_s[i] && *times_s[i] > 0) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](size_t i) { return *times_s[i]; });
  std::vector<int> ranks(times_s.size(), 0);
  size_t first = 0;  // of those that share a rank
  for (size_t at = 0; at < order.size(); ++at) {
    if (faster_probability(*times_s[order[first]], *times_s[order[at]], deviation) >= sure)
      first = at;
    ranks[order[at]] = static_cast<int>(first) + 1;
  }
  return ranks;
}

}  // namespace pipewright
