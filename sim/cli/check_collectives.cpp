#include "cli/check_collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>

#include "config/small_file.hpp"
#include "network/nccl/predicted.hpp"
#include "result/validation.hpp"

namespace pipewright::cli {
namespace {

/// The points that a profile names, if its file is there.
std::vector<interop::NcclPoint> points_of(const config::Value& profile) {
  const config::Value* collectives = profile.find("collectives");
  const config::Value* points = collectives ? collectives->find("points") : nullptr;
  if (!points) return {};
  const std::string file = config::path_seen_from(config::as_text(*points, "a path"), points->mark);
  if (std::error_code ignored; !std::filesystem::is_regular_file(file, ignored)) return {};
  return interop::read_nccl_points(config::read_small_file(file), file);
}

using Shape = std::tuple<std::string, int, int, int, int64_t>;
Shape shape_of(const interop::NcclPoint& point) {
  return {point.operation, point.element_bytes, point.ranks, point.nodes, point.bytes.count};
}

}  // namespace

ProfileCheck check_collectives(const std::string& name, const std::string& text,
                               const std::string& file, const Environment& environment) {
  const std::optional<CollectiveProfile> profile =
      read_collective_profile(config::scalar(name), environment.catalogue);
  if (!profile) throw InputError(fmt::format("profile '{}' holds no collectives", name));
  ProfileErrors errors{.kernel = "collectives", .group = "all"};
  std::vector<double> sizes;
  const std::vector<interop::NcclPoint> points = interop::read_nccl_points(text, file);
  require_model(points, file);
  for (const interop::NcclPoint& point : points) {
    if (point.nodes > 1) throw InputError({file}, "measured over several nodes: one is checked");
    sizes.push_back(std::abs(predicted_s(*profile, point) / point.time_s - 1));
    errors.outside_range +=
        point.bytes.count < profile->least_bytes || point.bytes.count > profile->most_bytes;
  }
  errors.points = static_cast<int64_t>(sizes.size());
  errors.median = percentile(sizes, 0.5).value_or(0);
  errors.p90 = percentile(sizes, 0.9).value_or(0);
  errors.p95 = percentile(sizes, 0.95).value_or(0);
  errors.most = percentile(sizes, 1).value_or(0);
  return {.all = errors};
}

std::vector<ProfileChange> collective_changes(const config::Value& before,
                                              const config::Value& after) {
  std::map<Shape, double> old;
  for (const interop::NcclPoint& point : points_of(before)) old[shape_of(point)] = point.time_s;
  std::map<std::string, std::vector<double>> ratios;
  for (const interop::NcclPoint& point : points_of(after))
    if (const auto found = old.find(shape_of(point)); found != old.end())
      ratios[point.operation].push_back(point.time_s / found->second);
  std::vector<ProfileChange> all;
  for (const auto& [operation, own] : ratios) all.push_back(change_of(operation, own));
  return all;
}

}  // namespace pipewright::cli
