#include "result/likeness.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace pipewright {
namespace {

double square(double x) { return x * x; }

}  // namespace

double quantile(const std::vector<Weighed>& sorted, double share) {
  double all = 0, below = 0;
  for (const Weighed& one : sorted) all += one.weight;
  for (const Weighed& one : sorted) {
    below += one.weight;
    if (below >= share * all) return one.number;
  }
  return sorted.back().number;
}

std::string_view source_of(std::string_view group) {
  const auto end = std::find_if(group.begin(), group.end(), [](char c) {
    return !std::isalpha(static_cast<unsigned char>(c));
  });
  return group.substr(0, static_cast<size_t>(end - group.begin()));
}

// What is waited for inside a node is known well. The constants were chosen by the coverage over
// groups left out, those of the nodes and of what is unlike by the interval score of groups and of
// whole sources left out (Gneiting and Raftery, "Strictly proper scoring rules, prediction, and
// estimation", 2007): of 0.0001 to 0.04 for `unlike` the score of sources is the least at 0.005.
double likeness(const Regime& a, const ResidualRow& b) {
  const double exposed = (a.nodes > 1 ? a.exposed : 0) - (b.nodes > 1 ? b.exposed : 0);
  const double distance = square((a.datasheet - b.datasheet) / 0.4) + square(exposed / 0.2) +
                          square(std::log2(double(a.nodes) / b.nodes) / alike_doublings) +
                          square((a.host - b.host) / 0.3);
  constexpr double unlike = 0.005, other_framework = 0.3, other_device = 0.5;
  return unlike + std::exp(-distance / 2) * (a.framework == b.framework ? 1 : other_framework) *
                      (a.device == b.device ? 1 : other_device);
}

std::map<std::string_view, double> group_weights(std::span<const ResidualRow> rows) {
  std::map<std::string_view, double> runs;
  std::map<std::string_view, std::set<std::string_view>> groups;
  for (const ResidualRow& row : rows) {
    runs[row.group] += 1;
    groups[source_of(row.group)].insert(row.group);
  }
  for (auto& [group, weight] : runs)
    weight = 1 / (weight * std::sqrt(static_cast<double>(groups[source_of(group)].size())));
  return runs;
}

Range range_between_deciles(std::vector<Weighed> residuals) {
  std::ranges::sort(residuals, {}, &Weighed::number);
  return {std::exp(std::min(-repeat_deviation, quantile(residuals, 0.1))),
          std::exp(std::max(repeat_deviation, quantile(residuals, 0.9)))};
}

}  // namespace pipewright
