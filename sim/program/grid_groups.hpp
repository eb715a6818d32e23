// Groups of simulated ranks of a pipeline rank that take part in a collective together.
#pragma once

#include <vector>

#include "program/lower.hpp"

namespace pipewright {

/// A collective group: all its devices, and those members that are simulated.
struct GroupMembers {
  uint32_t group = 0;  ///< index into Program::groups
  std::vector<uint32_t>
      members;  ///< simulated ranks: tensor rank + tensor ranks * place in `replicas`
};

/// Devices of a mesh with the same key form a group along `axis`.
int group_key(const Mesh& mesh, Axis axis, int tensor_rank, int replica);

/// The groups of a mesh along `axis` that hold a simulated rank: one of the first `tensor` tensor
/// ranks of one of `replicas`. Adds their devices to `groups`.
std::vector<GroupMembers> groups_along(const Mesh& mesh, Axis axis, int tensor,
                                       const std::vector<ReplicaClass>& replicas,
                                       std::vector<std::vector<int32_t>>& groups);

/// Every replica, standing for itself.
std::vector<ReplicaClass> all_replicas(const Mesh& mesh);

/// Returns how many consecutive replicas are coupled by collectives within a pass: 1 where only
/// tensor ranks are.
int coupled_replicas(const Mesh& mesh);

/// The simulated ranks of one pipeline rank.
struct SimulatedMesh {
  int tensor = 1;                      ///< the first so many tensor ranks ...
  std::vector<ReplicaClass> replicas;  ///< ... of these
  uint32_t first = 0;                  ///< their first rank in the program
  uint32_t width() const {
    return static_cast<uint32_t>(tensor) * static_cast<uint32_t>(replicas.size());
  }
};
std::vector<SimulatedMesh> simulated_meshes(const LoweringInput& input);

}  // namespace pipewright
