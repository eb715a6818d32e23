#include "program/update_groups.hpp"

#include <map>
#include <set>

namespace pipewright {
namespace {

struct MemberPlace {
  int tensor_rank, replica;
};

MemberPlace place_of(const ProgramDraft& draft, const CompletedMember& member) {
  const SimulatedMesh& mesh = draft.meshes[static_cast<size_t>(member.rank)];
  const auto tensor = static_cast<uint32_t>(mesh.tensor);
  return {static_cast<int>(member.member % tensor), mesh.replicas[member.member / tensor].replica};
}

int key_of(const ProgramDraft& draft, const CompletedMember& member, Axis axis) {
  const MemberPlace place = place_of(draft, member);
  return group_key(draft.in.grid.mesh(member.rank), axis, place.tensor_rank, place.replica);
}

}  // namespace

int32_t device_like(const ProgramDraft& draft, const CompletedMember& member, int rank) {
  const MemberPlace place = place_of(draft, member);
  return draft.in.grid.device(rank, place.tensor_rank, place.replica);
}

std::vector<UpdateGroup> update_groups(const ProgramDraft& draft, const UpdateGroup& completed,
                                       Axis axis) {
  std::map<int, UpdateGroup> by_key;
  for (const CompletedMember& member : completed)
    by_key[key_of(draft, member, axis)].push_back(member);
  std::vector<UpdateGroup> groups;
  for (auto& [key, members] : by_key) groups.push_back(std::move(members));
  return groups;
}

std::vector<int32_t> devices_of(const ProgramDraft& draft, const UpdateGroup& group, Axis axis) {
  std::set<int> ranks;  // two where the stage has two copies
  for (const CompletedMember& member : group) ranks.insert(member.rank);
  const int wanted = key_of(draft, group.front(), axis);
  std::vector<int32_t> devices;
  for (const int rank : ranks) {
    const Mesh& mesh = draft.in.grid.mesh(rank);
    for (int replica = 0; replica < mesh.replicas(); ++replica)
      for (int t = 0; t < mesh.tensor; ++t)
        if (group_key(mesh, axis, t, replica) == wanted) devices.push_back(mesh.device(t, replica));
  }
  return devices;
}

}  // namespace pipewright
