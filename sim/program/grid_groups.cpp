#include "program/grid_groups.hpp"

#include <algorithm>
#include <map>

namespace pipewright {

int group_key(const Mesh& mesh, Axis axis, int tensor_rank, int replica) {
  const int context_rank = replica % mesh.context, data_rank = replica / mesh.context;
  const auto [width, height, depth] = mesh.tensor_grid.sides;
  switch (axis) {
    case Axis::tensor:
      return replica;
    case Axis::tensor_row:
      return (tensor_rank + mesh.tensor * replica) / width;
    case Axis::tensor_column:
      return tensor_rank % width +
             width * ((tensor_rank + mesh.tensor * replica) / (width * height));
    case Axis::tensor_depth:
      return tensor_rank % (width * height) + width * height * replica;
    case Axis::tensor_row_column:
      return tensor_rank / (width * height) + depth * replica;
    case Axis::tensor_row_depth:
      return tensor_rank / width % height + height * replica;
    case Axis::tensor_column_depth:
      return tensor_rank % width + width * replica;
    case Axis::tensor_context:
      return data_rank;
    case Axis::stage:
      return 0;
    case Axis::context:
      return tensor_rank + mesh.tensor * data_rank;
    case Axis::data:
      return tensor_rank;  // gradients are summed over contexts too
    case Axis::expert:
      return (tensor_rank + mesh.tensor * replica) / mesh.expert;
    case Axis::pipeline:
      return tensor_rank + mesh.tensor * (context_rank + mesh.context * data_rank);
    case Axis::shard:
      return tensor_rank + mesh.tensor * (replica / mesh.shard);
    case Axis::copies:
      return tensor_rank + mesh.tensor * (replica % mesh.shard);
    case Axis::expert_copies:
      return (tensor_rank + mesh.tensor * replica) % mesh.expert;
  }
  return 0;
}

std::vector<GroupMembers> groups_along(const Mesh& mesh, Axis axis, int tensor,
                                       const std::vector<ReplicaClass>& replicas,
                                       std::vector<std::vector<int32_t>>& groups) {
  if ((axis == Axis::shard || axis == Axis::copies) && mesh.shard == 0) return {};
  if (axis >= Axis::tensor_row && mesh.tensor_grid.is_line()) return {};
  const bool plane = axis >= Axis::tensor_row_column;
  if (plane && mesh.tensor_grid.kind != TensorKind::signatures) return {};
  std::map<int, std::pair<std::vector<int32_t>, std::vector<uint32_t>>> by_key;
  size_t place = 0;  // of the next simulated replica
  for (int replica = 0; replica < mesh.replicas(); ++replica) {
    const bool simulated = place < replicas.size() && replicas[place].replica == replica;
    for (int t = 0; t < mesh.tensor; ++t) {
      auto& [devices, members] = by_key[group_key(mesh, axis, t, replica)];
      devices.push_back(mesh.device(t, replica));
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

std::vector<ReplicaClass> all_replicas(const Mesh& mesh) {
  std::vector<ReplicaClass> replicas;
  for (int replica = 0; replica < mesh.replicas(); ++replica) replicas.push_back({replica, 1});
  return replicas;
}

int coupled_replicas(const Mesh& mesh) {
  const bool all = mesh.expert > mesh.tensor * mesh.context || mesh.shard > 0;
  return all ? mesh.replicas() : mesh.context;
}

std::vector<SimulatedMesh> simulated_meshes(const LoweringInput& input) {
  std::vector<SimulatedMesh> all;
  uint32_t first = 0;
  for (size_t rank = 0; rank < input.grid.meshes.size(); ++rank) {
    const Mesh& mesh = input.grid.meshes[rank];
    all.push_back({input.fold_tensor ? 1 : mesh.tensor,
                   input.replicas.empty() ? all_replicas(mesh) : input.replicas[rank], first});
    first += all.back().width();
  }
  return all;
}

std::vector<int32_t> Grid::devices() const {
  std::vector<int32_t> all;
  for (const Mesh& mesh : meshes) all.insert(all.end(), mesh.devices.begin(), mesh.devices.end());
  return all;
}

}  // namespace pipewright
