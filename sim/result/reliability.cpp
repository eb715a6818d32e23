#include "result/reliability.hpp"

#include <algorithm>
#include <cmath>

#include "result/best_probability.hpp"
#include "result/ranges.hpp"

namespace pipewright {
namespace {

constexpr int tenths = 5;  // from 0.5 to 1

/// Sums of weights.
struct Sums {
  int pairs = 0;
  double all = 0, favoured = 0, faster = 0;
};

size_t tenth_of(double favoured) {
  return std::min<size_t>(tenths - 1, static_cast<size_t>((favoured - 0.5) * 10 + 1e-9));
}

}  // namespace

std::vector<JudgedPair> judged_pairs(std::span<const double> predicted,
                                     std::span<const double> measured) {
  const double deviation = own_deviation();
  std::vector<JudgedPair> pairs;
  for (size_t i = 0; i < measured.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      if (measured[i] == measured[k]) continue;
      const double first = faster_probability(predicted[i], predicted[k], deviation);
      if (first == 0.5) {
        pairs.push_back({0.5, 0.5});
        continue;
      }
      const bool is_first = first > 0.5;
      const bool came_true = is_first == (measured[i] < measured[k]);
      pairs.push_back({is_first ? first : 1 - first, came_true ? 1.0 : 0.0});
    }
  return pairs;
}

std::optional<double> brier_score(std::span<const JudgedPair> pairs) {
  if (pairs.empty()) return std::nullopt;
  double sum = 0;
  for (const JudgedPair& pair : pairs)
    sum += pair.faster * std::pow(1 - pair.favoured, 2) +
           (1 - pair.faster) * std::pow(pair.favoured, 2);
  return sum / static_cast<double>(pairs.size());
}

std::vector<ReliabilityRow> reliability(const std::vector<std::vector<JudgedPair>>& groups) {
  Sums sums[tenths];
  for (const std::vector<JudgedPair>& pairs : groups) {
    for (const JudgedPair& pair : pairs) {
      const double weight = 1 / static_cast<double>(pairs.size());
      Sums& sum = sums[tenth_of(pair.favoured)];
      ++sum.pairs;
      sum.all += weight;
      sum.favoured += weight * pair.favoured;
      sum.faster += weight * pair.faster;
    }
  }
  std::vector<ReliabilityRow> rows;
  for (int tenth = 0; tenth < tenths; ++tenth) {
    const Sums& sum = sums[tenth];
    if (sum.pairs == 0) continue;
    rows.push_back({(5 + tenth) / 10.0, (6 + tenth) / 10.0, sum.pairs, sum.favoured / sum.all,
                    sum.faster / sum.all});
  }
  return rows;
}

}  // namespace pipewright
