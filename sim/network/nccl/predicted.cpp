#include "network/nccl/predicted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "network/nccl/operations.hpp"

namespace pipewright {
std::optional<CollectiveKind> kind_of(const interop::NcclPoint& point) {
  const NcclOperation* operation = find_operation(point.operation);
  return operation ? operation->kind : std::nullopt;
}

void require_model(const std::vector<interop::NcclPoint>& points, const std::string& file) {
  for (const interop::NcclPoint& point : points)
    if (!find_operation(point.operation))
      throw InputError({file}, fmt::format("NCCL's model has no times of '{}'", point.operation));
}

NcclRequest request_of(const CollectiveProfile& profile, const interop::NcclPoint& point) {
  return {.kind = kind_of(point).value_or(CollectiveKind::all_to_all),
          .ranks = point.ranks,
          .on_switch = true,
          .ring_bandwidth = profile.link_bandwidth,
          .bytes = point.bytes,
          .element_bytes = point.element_bytes};
}

double predicted_s(const CollectiveProfile& profile, const interop::NcclPoint& point) {
  const NcclRequest request = request_of(profile, point);
  if (!kind_of(point)) return nccl_message_time(profile, request).total_s();
  return nccl_time(profile, request).total_s();
}

HeldOut summary_of(std::vector<double> errors) {
  if (errors.empty()) return {};
  for (double& error : errors) error = std::abs(error);
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    const auto place = static_cast<size_t>(share * static_cast<double>(errors.size()));
    return errors[std::min(errors.size() - 1, place)];
  };
  return {static_cast<int>(errors.size()), at(0.5), at(0.95)};
}

}  // namespace pipewright
