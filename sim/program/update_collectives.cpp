#include "program/update_collectives.hpp"

#include <algorithm>
#include <set>

namespace pipewright {

namespace {

/// Returns `first` and those of other ranks that hold what it holds.
UpdateGroup copies_like(const CompletedMember& first, const std::vector<UpdateGroup>& copies) {
  UpdateGroup members{first};
  for (const UpdateGroup& copy : copies) {
    for (const CompletedMember& m : copy) {
      const bool is_new = std::ranges::none_of(
          members, [&](const CompletedMember& other) { return other.rank == m.rank; });
      if (m.member == first.member && is_new) members.push_back(m);
    }
  }
  return members;
}

}  // namespace

OpId UpdateCollectives::add(uint32_t type, int step, const UpdateGroup& members,
                            std::vector<int32_t> devices) {
  std::vector<std::vector<int32_t>>& groups = draft_.builder.program.groups;
  groups.push_back(std::move(devices));
  const OpId op =
      draft_.builder.add({.type = type,
                          .rank = draft_.program_rank(members.front().rank, members.front().member),
                          .peer = static_cast<uint32_t>(groups.size() - 1),
                          .micro_batch = step});
  for (const CompletedMember& m : members) {
    const uint32_t rank = draft_.program_rank(m.rank, m.member);
    const LaneId lane = draft_.lanes.lane(rank, Stream::data);
    const std::vector<OpId>& ops = updates_.step_of(step, m).ops;
    // Sharded weights of the next iteration are gathered in the same lane, after this step.
    if (draft_.in.sharded.stages.empty() || ops.empty())
      draft_.builder.append(lane, op);
    else
      draft_.builder.insert(lane, op, ops.front());
  }
  return op;
}

/// Adds a collective between all gradients of its members and their steps.
void UpdateCollectives::add_before_step(uint32_t type, int step, const UpdateGroup& members,
                                        std::vector<int32_t> devices) {
  const OpId op = add(type, step, members, std::move(devices));
  for (const CompletedMember& m : members) {
    const StepOps& own = updates_.step_of(step, m);
    draft_.builder.depend(own.before, op);
    if (!own.ops.empty()) draft_.builder.depend(op, own.ops.front());
  }
}

void UpdateCollectives::reduce(int step, int stage) {
  for (const UpdateTypes& types : draft_.types.reduce(stage))
    for (const UpdateGroup& group :
         update_groups(draft_, updates_.completed(step, stage), types.axis))
      reduce_group(step, stage, group, types);
}

void UpdateCollectives::reduce_group(int step, int stage, const UpdateGroup& group,
                                     const UpdateTypes& types) {
  std::vector<int32_t> devices = devices_of(draft_, group, types.axis);
  if (devices.size() < 2) return;
  const OpId op = add(types.type, step, group, std::move(devices));
  for (const CompletedMember& m : group) {
    const StepOps& own = updates_.step_of(step, m);
    draft_.builder.depend(draft_.in.overlap_data ? m.ops[types.part] : own.before, op);
    if (!own.ops.empty()) draft_.builder.depend(op, own.ops.front());
    std::vector<std::vector<OpId>>& reduced = ends_of(step, stage, m).reduced;
    reduced.resize(std::max(reduced.size(), types.part + 1));
    reduced[types.part].push_back(op);
  }
}

void UpdateCollectives::tie_embeddings(int step) {
  const uint32_t type = draft_.types.tied_embedding();
  if (type == none) return;
  std::vector<UpdateGroup> copies;
  for (const int stage : draft_.in.tied_embedding.stages)
    copies.push_back(updates_.completed(step, stage));
  if (!have_like_meshes(copies)) return sum_over_meshes(type, step, copies);
  for (const CompletedMember& first : copies.front()) {
    const UpdateGroup members = copies_like(first, copies);
    std::vector<int32_t> devices;
    for (const CompletedMember& m : members) devices.push_back(device_like(draft_, first, m.rank));
    if (members.size() > 1) add_before_step(type, step, members, std::move(devices));
  }
}

bool UpdateCollectives::have_like_meshes(const std::vector<UpdateGroup>& copies) const {
  const Mesh& one = draft_.in.grid.mesh(copies.front().front().rank);
  return std::ranges::all_of(copies, [&](const UpdateGroup& copy) {
    const Mesh& other = draft_.in.grid.mesh(copy.front().rank);
    return one.tensor == other.tensor && one.replicas() == other.replicas();
  });
}

/// Adds one sum over all devices of all meshes.
void UpdateCollectives::sum_over_meshes(uint32_t type, int step,
                                        const std::vector<UpdateGroup>& copies) {
  UpdateGroup members;
  std::vector<int32_t> devices;
  for (const UpdateGroup& copy : copies) {
    members.insert(members.end(), copy.begin(), copy.end());
    const std::vector<int32_t>& mesh = draft_.in.grid.mesh(copy.front().rank).devices;
    devices.insert(devices.end(), mesh.begin(), mesh.end());
  }
  add_before_step(type, step, members, std::move(devices));
}

void UpdateCollectives::validate(int step) {
  std::vector<int32_t> devices = draft_.in.grid.devices();
  if (draft_.types.norm() == none || devices.size() < 2) return;
  UpdateGroup members;  // one of each simulated rank
  std::set<std::pair<int, uint32_t>> seen;
  for (int stage = 0; stage < draft_.schedule.stages; ++stage)
    for (const CompletedMember& c : updates_.completed(step, stage))
      if (seen.insert({c.rank, c.member}).second) members.push_back(c);
  add_before_step(draft_.types.norm(), step, members, std::move(devices));
}

void UpdateCollectives::gather(int step, int stage) {
  for (const UpdateTypes& types : draft_.types.gather(stage))
    for (const UpdateGroup& group :
         update_groups(draft_, updates_.completed(step, stage), types.axis))
      gather_group(step, stage, group, types);
}

void UpdateCollectives::gather_group(int step, int stage, const UpdateGroup& group,
                                     const UpdateTypes& types) {
  std::vector<int32_t> devices = devices_of(draft_, group, types.axis);
  if (devices.size() < 2) return;
  const OpId op = add(types.type, step, group, std::move(devices));
  for (const CompletedMember& m : group) {
    const StepOps& own = updates_.step_of(step, m);  // kernels, then the marker
    const size_t count = own.ops.size();
    draft_.builder.depend(count > 1 ? own.ops[count - 2] : own.before, op);
    const OpId updated = ends_of(step, stage, m).updated;
    if (updated != none) draft_.builder.depend(updated, op);
    draft_.builder.depend(op, own.ops.back());
  }
}

}  // namespace pipewright
