#include "network/nccl/device_profiles.hpp"

#include <algorithm>

namespace pipewright {
namespace {

using TimeBy = NcclTime (*)(const CollectiveProfile&, const NcclRequest&);

NcclTime slowest(const GroupProfiles& profiles, const NcclRequest& request, TimeBy time_by) {
  NcclTime slowest = time_by(*profiles.front(), request);
  for (size_t i = 1; i < profiles.size(); ++i) {
    const NcclTime time = time_by(*profiles[i], request);
    if (time.total_s() > slowest.total_s()) slowest = time;
  }
  return slowest;
}

}  // namespace

GroupProfiles DeviceProfiles::of(std::span<const int> devices) const {
  GroupProfiles found;
  if (profiles_.empty()) return found;
  int last = unknown;
  for (const int device : devices) {
    const int index = of_device_[static_cast<size_t>(device)];
    if (index == unknown) return {};
    if (index == last) continue;
    last = index;
    const CollectiveProfile* profile = &profiles_[static_cast<size_t>(index)];
    if (std::ranges::find(found, profile) == found.end()) found.push_back(profile);
  }
  const auto is_modelled = [](const CollectiveProfile* profile) { return profile->modelled; };
  if (std::ranges::any_of(found, is_modelled) && in_one_node(devices)) return {};
  return found;
}

bool DeviceProfiles::in_one_node(std::span<const int> devices) const {
  const auto node = [&](int device) { return node_of_[static_cast<size_t>(device)]; };
  return std::ranges::all_of(devices,
                             [&](int device) { return node(device) == node(devices.front()); });
}

NcclTime nccl_time(const GroupProfiles& profiles, const NcclRequest& request) {
  return slowest(profiles, request, nccl_time);
}

NcclTime nccl_message_time(const GroupProfiles& profiles, const NcclRequest& request) {
  return slowest(profiles, request, nccl_message_time);
}

}  // namespace pipewright
