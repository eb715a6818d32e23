#include "plan/replica_blocks.hpp"

#include <map>

namespace pipewright {
namespace {

/// Returns the first equal line of each line of a table.
std::vector<int> first_alike(const std::vector<std::vector<size_t>>& lines) {
  std::map<std::vector<size_t>, int> seen;
  std::vector<int> first;
  for (const std::vector<size_t>& line : lines)
    first.push_back(seen.try_emplace(line, static_cast<int>(first.size())).first->second);
  return first;
}

}  // namespace

std::vector<ReplicaClass> classes_of_blocks(const std::vector<size_t>& colours, int block) {
  const auto width = static_cast<size_t>(block);
  std::vector<std::vector<size_t>> blocks(colours.size() / width), positions(width);
  for (size_t replica = 0; replica < colours.size(); ++replica) {
    blocks[replica / width].push_back(colours[replica]);
    positions[replica % width].push_back(colours[replica]);
  }
  const std::vector<int> kind_of_block = first_alike(blocks);
  const std::vector<int> kind_of_position = first_alike(positions);
  std::map<int, ReplicaClass> classes;
  for (size_t replica = 0; replica < colours.size(); ++replica) {
    const int stands_for =
        kind_of_block[replica / width] * block + kind_of_position[replica % width];
    ReplicaClass& one =
        classes.try_emplace(stands_for, ReplicaClass{stands_for, 0, {}}).first->second;
    ++one.count;
    one.members.push_back(static_cast<int>(replica));
  }
  std::vector<ReplicaClass> all;
  for (auto& [replica, one] : classes) all.push_back(std::move(one));
  return all;
}

int replicas_in_block(const Mesh& mesh) {
  const bool experts = mesh.expert > mesh.tensor;
  if (mesh.context > 1 || (experts && mesh.expert % mesh.tensor != 0)) return 0;
  const int of_experts = experts ? mesh.expert / mesh.tensor : mesh.shard;
  const int block = mesh.shard > 0 ? mesh.shard : of_experts;
  return block == of_experts && block > 0 && mesh.replicas() % block == 0 ? block : 0;
}

}  // namespace pipewright
