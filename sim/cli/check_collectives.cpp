#include "cli/check_collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "network/nccl/predicted.hpp"
#include "result/validation.hpp"

namespace pipewright::cli {

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

}  // namespace pipewright::cli
