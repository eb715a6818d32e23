#include "program/grid_groups.hpp"

#include <algorithm>

namespace pipewright {

int group_key(const Mesh& mesh, Axis axis, int tensor_rank, int replica) {
  const int context_rank = replica % mesh.context, data_rank = replica / mesh.context;
  const int number = tensor_rank + mesh.tensor * replica;
  const auto [width, height, depth] = mesh.tensor_grid.sides;
  switch (axis) {
    case Axis::tensor:
      return replica;
    case Axis::tensor_row:
      return number / width;
    case Axis::tensor_column:
      return tensor_rank % width + width * (number / (width * height));
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
      return mesh.site(replica);
    case Axis::context:
      return tensor_rank + mesh.tensor * data_rank;
    case Axis::context_heads:
      return tensor_rank + mesh.tensor * (replica / mesh.context_heads);
    case Axis::context_ring:
      return tensor_rank +
             mesh.tensor * (context_rank % mesh.context_heads + mesh.context_heads * data_rank);
    case Axis::data:
      return tensor_rank + mesh.tensor * mesh.site(replica);  // sums over contexts too
    case Axis::expert:
      return number / mesh.expert * mesh.expert_tensor + number % mesh.expert_tensor;
    case Axis::expert_block:
      return number / mesh.expert;
    case Axis::expert_tensor:
      return number / mesh.expert_tensor;
    case Axis::pipeline:
      return tensor_rank + mesh.tensor * (context_rank + mesh.context * data_rank);
    case Axis::shard:
      return tensor_rank + mesh.tensor * (replica / mesh.shard);
    case Axis::copies:
      return tensor_rank + mesh.tensor * (replica % mesh.shard + mesh.shard * mesh.site(replica));
    case Axis::expert_copies:
      return number % mesh.expert +
             mesh.expert * (mesh.shard > 0 ? replica / mesh.shard : mesh.site(replica));
    case Axis::sites:
      return number % (mesh.tensor * mesh.site_replicas());
    case Axis::near:
      return tensor_rank + mesh.tensor * (replica / mesh.near);
    case Axis::near_copies:
      return tensor_rank + mesh.tensor * (replica % mesh.near + mesh.near * mesh.site(replica));
  }
  return 0;
}

namespace {

/// Adds the groups that simulated ranks are in, by key, and returns the number of each by key:
/// ascending from `first`, `none` where no rank of it is simulated.
std::vector<uint32_t> add_members(const Mesh& mesh, Axis axis, int tensor,
                                  const std::vector<ReplicaClass>& replicas, uint32_t first,
                                  std::vector<GroupMembers>& result) {
  std::vector<std::pair<int, uint32_t>> simulated;  // key and member
  for (size_t place = 0; place < replicas.size(); ++place)
    for (int t = 0; t < tensor; ++t)
      simulated.emplace_back(group_key(mesh, axis, t, replicas[place].replica),
                             static_cast<uint32_t>(t + tensor * static_cast<int>(place)));
  std::ranges::sort(simulated);
  std::vector<uint32_t> group_of;
  for (const auto& [key, member] : simulated) {
    if (group_of.size() <= static_cast<size_t>(key)) {
      group_of.resize(static_cast<size_t>(key) + 1, none);
      group_of.back() = first + static_cast<uint32_t>(result.size());
      result.push_back({group_of.back(), {}});
    }
    result.back().members.push_back(member);
  }
  return group_of;
}

bool has_groups(const Mesh& mesh, Axis axis) {
  if (axis == Axis::shard || axis == Axis::copies) return mesh.shard > 0;
  if (axis == Axis::near || axis == Axis::near_copies) return mesh.near > 0;
  if (axis == Axis::sites) return mesh.sites > 1;
  const bool plane = axis >= Axis::tensor_row_column && axis <= Axis::tensor_column_depth;
  const bool side = axis >= Axis::tensor_row && axis <= Axis::tensor_depth;
  if (plane && mesh.tensor_grid.kind != TensorKind::signatures) return false;
  return !(plane || side) || !mesh.tensor_grid.is_line();
}

}  // namespace

std::vector<GroupMembers> groups_along(const Mesh& mesh, Axis axis, int tensor,
                                       const std::vector<ReplicaClass>& replicas,
                                       std::vector<std::vector<int32_t>>& groups) {
  if (!has_groups(mesh, axis)) return {};
  std::vector<GroupMembers> result;
  const std::vector<uint32_t> group_of =
      add_members(mesh, axis, tensor, replicas, static_cast<uint32_t>(groups.size()), result);
  groups.resize(groups.size() + result.size());
  for (int replica = 0; replica < mesh.replicas(); ++replica) {
    for (int t = 0; t < mesh.tensor; ++t) {
      const auto key = static_cast<size_t>(group_key(mesh, axis, t, replica));
      if (key < group_of.size() && group_of[key] != none)
        groups[group_of[key]].push_back(mesh.device(t, replica));
    }
  }
  return result;
}

std::vector<ReplicaClass> all_replicas(const Mesh& mesh) {
  std::vector<ReplicaClass> replicas;
  for (int replica = 0; replica < mesh.replicas(); ++replica) replicas.push_back({replica, 1});
  return replicas;
}

int coupled_replicas(const Mesh& mesh) {
  const bool all = mesh.expert > mesh.tensor * mesh.context || mesh.shard > 0 || mesh.near > 0;
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
