#include "result/like_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "result/likeness.hpp"

namespace pipewright {
namespace {

constexpr size_t most_groups = 3;

double middle(std::vector<Weighed> numbers) {
  std::ranges::sort(numbers, {}, &Weighed::number);
  return quantile(numbers, 0.5);
}

double weight_of(const std::vector<Weighed>& numbers) {
  double sum = 0;
  for (const Weighed& one : numbers) sum += one.weight;
  return sum;
}

std::string said(const LikeGroup& group) {
  const double percent = std::round(100 * std::abs(group.error));
  if (percent == 0) return fmt::format("{} (predicted as measured)", group.name);
  return fmt::format("{} (predicted {:.0f} % too {})", group.name, percent,
                     group.error < 0 ? "fast" : "slow");
}

}  // namespace

std::string LikeRuns::text() const {
  if (likest.empty()) return {};
  std::vector<std::string> groups;
  for (const LikeGroup& group : likest) groups.push_back(said(group));
  return fmt::format("half of them were predicted within {:.0f} %. The most alike are {}",
                     100 * half_within, fmt::join(groups, ", "));
}

LikeRuns like_runs(const Regime& regime) {
  if (regime.framework == "given") return {};
  const std::span<const ResidualRow> rows = published_residuals();
  const std::map<std::string_view, double> weights = group_weights(rows);
  std::map<std::string_view, std::vector<Weighed>> groups;
  std::vector<Weighed> errors;
  for (const ResidualRow& row : rows) {
    const double weight = weights.at(row.group) * likeness(regime, row);
    groups[row.group].push_back({-std::log(row.slower), weight});
    errors.push_back({std::abs(1 / row.slower - 1), weight});
  }
  std::vector<std::pair<double, std::string_view>> order;
  for (const auto& [name, numbers] : groups) order.emplace_back(-weight_of(numbers), name);
  std::ranges::sort(order);
  LikeRuns result{.half_within = middle(std::move(errors))};
  for (const auto& [weight, name] : std::span(order).first(std::min(most_groups, order.size())))
    result.likest.push_back({name, std::expm1(middle(groups.at(name)))});
  return result;
}

}  // namespace pipewright
