#include "result/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "result/likeness.hpp"
#include "result/range_widening.hpp"
#include "result/unexplained.hpp"

namespace pipewright {

namespace {

Range widened(const Range& range) {
  return {range.low * std::exp(-range_widening), range.high * std::exp(range_widening)};
}

/// The run with what it waits for between nodes taking as long as for one job of ten.
double beside_other_jobs(const Regime& regime) { return 1 + regime.exposed * (regime.busy - 1); }

constexpr double decile = 1.2816;  // of a normal number

/// The same range, whose two ends deviate independently by what nodes beyond the measured ones add.
Range beyond_measured(const Range& range, const Regime& regime) {
  const double more = decile * shares_of(regime)[1] * deviation_beyond(regime.beyond_measured);
  const double middle = std::log(range.low * range.high) / 2;
  const double reach = std::hypot(std::log(range.high / range.low) / 2, more);
  return {std::exp(middle - reach), std::exp(middle + reach)};
}

/// Tells whether a row is of the framework and the device of this regime.
bool is_of_machine(const Regime& regime, const ResidualRow& row) {
  return row.framework == regime.framework && row.device == regime.device;
}

}  // namespace

KnownRange range_of(const Regime& regime, std::string_view left_out) {
  const std::span<const ResidualRow> rows = published_residuals();
  const std::map<std::string_view, double> weights = group_weights(rows);
  std::vector<Weighed> residuals;
  std::set<std::string_view> sources;
  bool is_new = regime.framework != "given";
  for (const ResidualRow& row : rows) {
    if (row.group == left_out || source_of(row.group) == left_out) continue;
    residuals.push_back({std::log(row.slower), weights.at(row.group) * likeness(regime, row)});
    sources.insert(source_of(row.group));
    is_new = is_new && !is_of_machine(regime, row);
  }
  const size_t count = residuals.size();
  Range range = range_between_deciles(std::move(residuals));
  range.high = std::max(range.high, beside_other_jobs(regime));
  if (is_new) {
    // Its kernels, network and hosts deviate from the predicted ones as those of published machines
    // do from theirs, and its runs by themselves.
    const Range alone = range_of_factors(regime, prior_anchor());
    range = {std::min(range.low, alone.low), std::max(range.high, alone.high)};
  }
  return {widened(beyond_measured(range, regime)),
          fmt::format("{} published runs of {} sources, the likest most{}", count, sources.size(),
                      is_new ? "; none of this framework on this device" : "")};
}

double deviation_beyond(double share) { return share * std::sqrt(prior_anchor().covariance[1][1]); }

double own_deviation() {
  std::map<std::string_view, std::vector<double>> groups;
  for (const ResidualRow& row : published_residuals())
    groups[row.group].push_back(std::log(row.slower));
  constexpr size_t least_runs = 5;
  constexpr double deviation_of_median = 1.4826;  // of a normal number's distance from its median
  std::vector<double> deviations;
  const auto median = [](std::vector<double>& all) {
    std::ranges::sort(all);
    return all[all.size() / 2];
  };
  for (auto& [group, all] : groups) {
    if (all.size() < least_runs) continue;
    const double middle = median(all);
    for (double& one : all) one = std::abs(one - middle);
    deviations.push_back(deviation_of_median * median(all));
  }
  return std::max(repeat_deviation, median(deviations));
}

double own_deviation(const Regime& regime) {
  return regime.framework == "given" ? repeat_deviation : own_deviation();
}

}  // namespace pipewright
