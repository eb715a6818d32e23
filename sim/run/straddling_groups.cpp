#include "run/straddling_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

namespace pipewright {
namespace {

/// Returns how many devices each node has.
std::map<NodeId, int> devices_by_node(const Topology& topology) {
  std::map<NodeId, int> devices;
  for (int device = 0; device < topology.devices(); ++device) ++devices[topology.node(device)];
  return devices;
}

/// Tells whether some of the groups of `size` consecutive devices lie on several nodes.
bool straddle(std::span<const int32_t> devices, size_t size, const Topology& topology) {
  for (size_t first = 0; first + size <= devices.size(); first += size) {
    const NodeId node = topology.node(devices[first]);
    const auto elsewhere = [&](int32_t device) { return topology.node(device) != node; };
    if (std::ranges::any_of(devices.subspan(first, size), elsewhere)) return true;
  }
  return false;
}

/// Returns what makes the groups fit into nodes of `room` devices, where fewer of each are enough.
std::string advice(const std::map<NodeId, int>& devices, int room, int size) {
  const auto is_full = [&](const auto& node) { return node.second == room; };
  if (room % size == 0 || !std::ranges::all_of(devices, is_full)) return {};
  const int used = room / size * size;
  return fmt::format("; 'cluster.devices: {}' uses {} of each node",
                     used * static_cast<int>(devices.size()), used);
}

}  // namespace

std::string where_groups_straddle(const Grid& grid, const Topology& topology) {
  const std::map<NodeId, int> devices = devices_by_node(topology);
  const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
  const int room = std::ranges::max_element(devices, by_count)->second;
  for (const Mesh& mesh : grid.meshes) {
    for (const auto& [name, size] : {std::pair("tensor", mesh.tensor), {"expert", mesh.expert}}) {
      if (size < 2 || size > room) continue;
      if (!straddle(mesh.devices, static_cast<size_t>(size), topology)) continue;
      return fmt::format("some {} groups of {} devices lie on several nodes of {}{}", name, size,
                         room, advice(devices, room, size));
    }
  }
  return {};
}

}  // namespace pipewright
