#include "program/grid_groups.hpp"

#include <algorithm>
#include <map>

namespace pipewright {

int group_key(const Grid& grid, Axis axis, int tensor_rank, int replica) {
  const int context_rank = replica % grid.context, data_rank = replica / grid.context;
  const auto [width, height, depth] = grid.tensor_grid.sides;
  switch (axis) {
    case Axis::tensor:
      return replica;
    case Axis::tensor_row:
      return (tensor_rank + grid.tensor * replica) / width;
    case Axis::tensor_column:
      return tensor_rank % width +
             width * ((tensor_rank + grid.tensor * replica) / (width * height));
    case Axis::tensor_depth:
      return tensor_rank % (width * height) + width * height * replica;
    case Axis::context:
      return tensor_rank + grid.tensor * data_rank;
    case Axis::data:
      return tensor_rank;  // gradients are summed over contexts too
    case Axis::expert:
      return (tensor_rank + grid.tensor * replica) / grid.expert;
    case Axis::pipeline:
      return tensor_rank + grid.tensor * (context_rank + grid.context * data_rank);
    case Axis::shard:
      return tensor_rank + grid.tensor * (replica / grid.shard);
    case Axis::copies:
      return tensor_rank + grid.tensor * (replica % grid.shard);
    case Axis::expert_copies:
      return (tensor_rank + grid.tensor * replica) % grid.expert;
  }
  return 0;
}

std::vector<GroupMembers> groups_along(const Grid& grid, Axis axis, int rank, int tensor,
                                       const std::vector<ReplicaClass>& replicas,
                                       std::vector<std::vector<int32_t>>& groups) {
  if ((axis == Axis::shard || axis == Axis::copies) && grid.shard == 0) return {};
  if (axis >= Axis::tensor_row && grid.tensor_grid.is_line()) return {};
  std::map<int, std::pair<std::vector<int32_t>, std::vector<uint32_t>>> by_key;
  size_t place = 0;  // of the next simulated replica
  for (int replica = 0; replica < grid.replicas(); ++replica) {
    const bool simulated = place < replicas.size() && replicas[place].replica == replica;
    for (int t = 0; t < grid.tensor; ++t) {
      auto& [devices, members] = by_key[group_key(grid, axis, t, replica)];
      devices.push_back(grid.device(rank, t, replica));
      if (simulated && t < tensor)
        members.push_back(static_cast<uint32_t>(t + tensor * static_cast<int>(place)));
    }
    place += simulated;
  }
  std::vector<GroupMembers> result;
  for (auto& [key, group] : by_key) {
    auto& [devices, members] = group;
    if (members.empty()) continue;
    result.push_back({static_cast<uint32_t>(groups.size()), std::move(members)});
    groups.push_back(std::move(devices));
  }
  return result;
}

std::vector<ReplicaClass> all_replicas(const Grid& grid) {
  std::vector<ReplicaClass> replicas;
  for (int replica = 0; replica < grid.replicas(); ++replica) replicas.push_back({replica, 1});
  return replicas;
}

int coupled_replicas(const Grid& grid) {
  const bool all = grid.expert > grid.tensor * grid.context || grid.shard > 0;
  return all ? grid.replicas() : grid.context;
}

}  // namespace pipewright
