#include "plan/segments_time.hpp"

#include "program/grid_groups.hpp"

namespace pipewright {

namespace {

/// Returns the group of the first tensor rank and replica, out of the first `replicas`.
std::vector<int32_t> group_among(const Mesh& mesh, Axis axis, int replicas) {
  const int key = group_key(mesh, axis, 0, 0);
  std::vector<int32_t> devices;
  for (int replica = 0; replica < replicas; ++replica)
    for (int t = 0; t < mesh.tensor; ++t)
      if (group_key(mesh, axis, t, replica) == key) devices.push_back(mesh.device(t, replica));
  return devices;
}

/// Returns the group of the first tensor rank and replica; empty along axes of whole replicas.
std::vector<int32_t> first_group(const Mesh& mesh, Axis axis) {
  const auto [width, height, depth] = mesh.tensor_grid.sides;
  const auto line = [&](int count, int stride) {
    std::vector<int32_t> devices;
    for (int k = 0; k < count; ++k)
      devices.push_back(mesh.devices[static_cast<size_t>(k) * static_cast<size_t>(stride)]);
    return devices;
  };
  switch (axis) {
    case Axis::tensor:
      return line(mesh.tensor, 1);
    case Axis::tensor_row:
      return line(width, 1);
    case Axis::tensor_column:
      return line(height, width);
    case Axis::tensor_depth:
      return line(depth, width * height);
    case Axis::tensor_row_column:
    case Axis::tensor_row_depth:
    case Axis::tensor_column_depth:
      return group_among(mesh, axis, 1);
    case Axis::context:
    case Axis::context_heads:
    case Axis::context_ring:
    case Axis::tensor_context:
    case Axis::expert:
    case Axis::expert_tensor:
    case Axis::expert_block:
      return group_among(mesh, axis, mesh.replicas());
    default:
      return {};
  }
}

}  // namespace

std::vector<int32_t> unlike_devices(std::span<const int32_t> devices, const Prices& prices) {
  std::map<std::pair<int32_t, double>, int32_t> kinds;
  for (const int32_t device : devices)
    kinds.try_emplace({prices.class_of(device), prices.slowdown_of(device)}, device);
  std::vector<int32_t> unlike;
  for (const auto& [kind, device] : kinds) unlike.push_back(device);
  return unlike;
}

Time segments_time(const Segments& segments, const Prices& prices, const Mesh& mesh) {
  return segments_time(segments, prices, mesh, mesh.devices.front());
}

void PassTime::add(const Segment& segment, Time compute, std::optional<Time> collective) {
  computed_ = std::max(computed_, segment.joins ? communicated_ : ends_[segment.chain]) + compute;
  if (!collective) return;
  communicated_ = std::max(communicated_, computed_) + *collective;
  ends_[segment.chain] = communicated_;
}

std::optional<Time> collective_time(const CollectiveWork& work, const Prices& prices,
                                    const Mesh& mesh) {
  const std::vector<int32_t> group = first_group(mesh, work.axis);
  if (group.size() < 2) return std::nullopt;
  return prices.collective(work.kind, group, work.bytes);
}

Time segments_time(const Segments& segments, const Prices& prices, const Mesh& mesh,
                   int32_t device) {
  PassTime pass;
  for (const Segment& segment : segments) {
    Time busy;
    for (const Work& work : segment.kernels) busy += prices.compute(work, device);
    pass.add(
        segment, busy,
        segment.collective ? collective_time(*segment.collective, prices, mesh) : std::nullopt);
  }
  return pass.total();
}

HostLoad host_load(const Segments& segments, const Prices& prices, const Mesh& mesh,
                   int32_t device) {
  HostLoad load;
  if (prices.host.captured_passes) return load;
  for (const Segment& segment : segments) {
    Time busy;
    for (const Work& work : segment.kernels) busy += prices.compute(work, device);
    load.add(busy, host_time(segment.kernels, prices.host));
    if (!segment.collective) continue;
    const CollectiveWork& work = *segment.collective;
    const std::optional<Time> time = collective_time(work, prices, mesh);
    if (!time) continue;
    const size_t ranks = segment.captured ? 0 : first_group(mesh, work.axis).size();
    load.add(*time, segment.captured ? Time{} : prices.host.starts(ranks));
    load.stops = load.stops || work.tells_host;
  }
  return load;
}

}  // namespace pipewright
