#include "program/lowered_rank.hpp"

namespace pipewright {

LoweredRank::LoweredRank(ProgramDraft& draft, int rank)
    : draft_(draft), rank_(rank), width_(draft.width(rank)), servers_(size_t{2} * width_) {
  const SimulatedMesh& simulated = draft.meshes[static_cast<size_t>(rank)];
  for (size_t axis = 0; axis < groups_.size(); ++axis) {
    groups_[axis] =
        groups_along(draft.in.grid.mesh(rank), static_cast<Axis>(axis), simulated.tensor,
                     simulated.replicas, draft.builder.program.groups);
  }
}

void LoweredRank::select(uint32_t first, uint32_t last) {
  first_ = first, last_ = last;
  for (size_t axis = 0; axis < groups_.size(); ++axis) {
    selected_groups_[axis].clear();
    for (const GroupMembers& group : groups_[axis])
      if (group.members.front() >= first && group.members.front() < last)
        selected_groups_[axis].push_back(&group);
  }
}

OpId LoweredRank::add_compute(uint32_t member, uint32_t type, const Action& a, Chains chains) {
  const OpId op = draft_.builder.add({.type = type,
                                      .rank = draft_.program_rank(rank_, member),
                                      .micro_batch = a.micro_batch,
                                      .weight_version = a.weight_version,
                                      .slice = a.slice});
  const bool backward = on_backward_server(a);
  draft_.builder.append(compute_lane(member, backward), op);
  wait_for_previous(server(member, backward), op, chains);
  return op;
}

OpId LoweredRank::add_collective(const GroupMembers& group, uint32_t type, const Action& a) {
  return draft_.builder.add({.type = type,
                             .rank = draft_.program_rank(rank_, group.members.front()),
                             .peer = group.group,
                             .micro_batch = a.micro_batch,
                             .slice = a.slice});
}

void LoweredRank::wait_for_previous(Server& server, OpId op, Chains chains) {
  std::erase_if(server.previous, [&](const Server::Previous& before) {
    const bool waits = chains.has(before.chain);
    if (waits) draft_.builder.depend(before.op, op);
    return waits;
  });
  server.newest = op;
}

}  // namespace pipewright
