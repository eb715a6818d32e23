#include "machine/machine_parts.hpp"

#include "cost/profile_cost.hpp"
#include "cost/roofline.hpp"

namespace pipewright {
namespace {

double ratio(Time now, Time then) { return then.ps > 0 ? in_seconds(now) / in_seconds(then) : 1; }

/// Rescales what was measured by as much as a roofline grows or shrinks on the changed device.
Time rescaled(Time measured, const MachineFactors& machine_factors, const Work& work,
              const Device& device) {
  const Roofline roofline;
  const Time before = roofline.duration(work, device);
  if (before.ps == 0) return measured;
  const Time after = roofline.duration(work, changed(machine_factors, device));
  return seconds(in_seconds(measured) * in_seconds(after) / in_seconds(before));
}

}  // namespace

double ChangedLinks::factor(int32_t from, int32_t to, Bytes bytes) const {
  return ratio(after.transfer(from, to, bytes), before.transfer(from, to, bytes));
}

double ChangedLinks::factor(CollectiveKind kind, std::span<const int32_t> devices,
                            Bytes bytes) const {
  return ratio(after.collective(kind, devices, bytes), before.collective(kind, devices, bytes));
}

Time Machine::Parts::kernel_time(const Work& work, size_t type) const {
  const Device& device = cluster.device_types[type];
  const Time time = costs[type]->duration(work, device);
  return machine_factors.changes_devices() ? rescaled(time, machine_factors, work, device) : time;
}

double Machine::Parts::lost_beside(size_t type) const {
  const auto* cost = dynamic_cast<const ProfileCost*>(costs[type].get());
  if (!cost) return 0;
  const Profile& profile = cost->profile();
  const Device& device = profile.device;
  if (!profile.conditions) return 0;
  return profile.conditions->lost_beside(device.memory_bandwidth.bytes_per_s, device.processors);
}

}  // namespace pipewright
