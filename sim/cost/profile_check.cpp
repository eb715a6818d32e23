// The noise of a median over n ratios is three of its standard errors, 1.25 x 1.48 x the median
// absolute deviation / sqrt(n), and at least 2 %: what another release of a library moves.
// Bandwidths of kernels that stream are noisy by the error of their points.
#include "cost/profile_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/required.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

constexpr double least_noise = 0.02, standard_error = 1.25 * 1.48, sure = 3;

struct Checked {
  double error;
  bool inside;
};

double percentile(const std::vector<double>& sorted, double p) {
  return sorted.empty() ? 0
                        : sorted[static_cast<size_t>(p * static_cast<double>(sorted.size() - 1))];
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return percentile(values, 0.5);
}

ProfileErrors errors_of(const std::string& kernel, const std::string& group,
                        const std::vector<Checked>& points) {
  ProfileErrors errors{.kernel = kernel, .group = group};
  std::vector<double> sorted;
  for (const Checked& point : points) {
    sorted.push_back(point.error);
    errors.outside_range += !point.inside;
  }
  std::sort(sorted.begin(), sorted.end());
  errors.points = static_cast<int64_t>(sorted.size());
  errors.median = percentile(sorted, 0.5);
  errors.p90 = percentile(sorted, 0.9);
  errors.p95 = percentile(sorted, 0.95);
  errors.most = sorted.empty() ? 0 : sorted.back();
  return errors;
}

Estimate estimate(const Profile& profile, const PointTable& table, const Sample& s) {
  if (table.keys == &gemm_keys) {
    const MeasuredGemm& model = profile.products(table.dtype)->model;
    Estimate estimate = model.factor(s.sizes[2], s.sizes[0], s.sizes[1]);
    const Product product =
        measured_product(model.dtype(), profile.device, s.sizes[2], s.sizes[0], s.sizes[1]);
    estimate.seconds *= gemm_seconds(product, model.constants());
    return estimate;
  }
  const MeasuredAttention& model = required(profile.attention, "it has the table's model").model;
  Estimate estimate = model.factor(s.sizes);
  estimate.seconds *= attention_seconds(causal_forward(s.sizes), profile.device,
                                        model.points().dtype, model.constants());
  return estimate;
}

void require(const Profile& profile, const PointTable& table) {
  const bool known = table.keys == &gemm_keys ? profile.products(table.dtype) != nullptr
                                              : profile.attention.has_value();
  if (!known) {
    throw Failure(fmt::format("the profile '{}' has no {} in {}", profile.name, table.keys->kernel,
                              name_of(table.dtype)));
  }
}

/// Points are told apart by the size that their efficiency depends on most.
std::string group_of(const PointTable& table, const Sample& s) {
  const int64_t size = s.sizes[table.keys->count];
  const int64_t edge = table.keys == &gemm_keys ? 256 : 2048;
  return fmt::format("{} {} {} {}", name_of(table.dtype), table.keys->column,
                     size < edge ? "<" : ">=", edge);
}

std::vector<PointTable> tables_of(const Profile& profile) {
  std::vector<PointTable> tables;
  for (const GemmProfile& family : profile.gemm) tables.push_back(family.model.points());
  if (profile.attention) tables.push_back(profile.attention->model.points());
  return tables;
}

ProfileChange table_change(const PointTable& before, const PointTable& after) {
  std::map<std::array<int64_t, 5>, double> old;
  for (const Sample& s : samples_of(before)) old[s.sizes] = s.seconds;
  std::vector<double> ratios;
  for (const Sample& s : samples_of(after))
    if (const auto found = old.find(s.sizes); found != old.end())
      ratios.push_back(s.seconds / found->second);
  return change_of(fmt::format("{} {}", after.keys->kernel, name_of(after.dtype)), ratios);
}

ProfileChange stream_change(const StreamProfile& before, const StreamProfile& after) {
  ProfileChange change{.kernel = fmt::format("{} {}", stream_name(after.kernel),
                                             after.gradient ? "gradients" : "forward"),
                       .median_ratio = before.constants.bytes_per_s / after.constants.bytes_per_s,
                       .noise = least_noise};
  for (const HeldOutError& error : before.held_out)
    change.noise = std::max(change.noise, error.median);
  for (const HeldOutError& error : after.held_out) {
    change.noise = std::max(change.noise, error.median);
    change.points += error.count;
  }
  return change;
}

}  // namespace

ProfileChange change_of(std::string kernel, const std::vector<double>& ratios) {
  ProfileChange change{.kernel = std::move(kernel), .points = static_cast<int64_t>(ratios.size())};
  if (ratios.empty()) return change;
  change.median_ratio = median(ratios);
  std::vector<double> deviations;
  for (const double ratio : ratios) deviations.push_back(std::abs(ratio - change.median_ratio));
  change.noise = std::max(least_noise, sure * standard_error * median(deviations) /
                                           std::sqrt(static_cast<double>(ratios.size())));
  return change;
}

ProfileCheck check(const Profile& profile, const std::vector<PointTable>& tables) {
  std::vector<Checked> all;
  std::map<std::string, std::vector<Checked>> groups;
  std::string kernel;
  for (const PointTable& table : tables) {
    require(profile, table);
    kernel = table.keys->kernel;
    for (const Sample& s : samples_of(table)) {
      const Estimate known = estimate(profile, table, s);
      all.push_back({std::abs(known.seconds / s.seconds - 1), known.inside});
      groups[group_of(table, s)].push_back(all.back());
    }
  }
  ProfileCheck result{.all = errors_of(kernel, "all", all)};
  for (const auto& [name, points] : groups)
    result.groups.push_back(errors_of(kernel, name, points));
  return result;
}

std::vector<ProfileChange> changes(const Profile& before, const Profile& after) {
  std::vector<ProfileChange> all;
  const std::vector<PointTable> old = tables_of(before);
  for (const PointTable& table : tables_of(after))
    for (const PointTable& other : old)
      if (other.keys == table.keys && other.dtype == table.dtype)
        all.push_back(table_change(other, table));
  for (const StreamProfile& stream : after.streams)
    for (const StreamProfile& other : before.streams)
      if (other.kernel == stream.kernel && other.gradient == stream.gradient)
        all.push_back(stream_change(other, stream));
  return all;
}

}  // namespace pipewright
