#include "program/updates.hpp"

#include <algorithm>
#include <set>

#include "program/grid_groups.hpp"

namespace pipewright {

LaneSet::LaneSet(const LoweringInput& input) {
  const auto add = [&](Stream stream) {
    place_[static_cast<size_t>(stream)] = static_cast<uint32_t>(streams_.size());
    streams_.push_back(stream);
  };
  for (const Stream stream : {Stream::compute, Stream::tensor, Stream::data}) add(stream);
  if (input.schedule.parallel_passes)
    for (const Stream stream : {Stream::backward, Stream::backward_tensor}) add(stream);
  if (std::ranges::any_of(input.grid.meshes, [](const Mesh& mesh) {
        return mesh.shard > 0 && mesh.shard < mesh.replicas();
      }))
    add(Stream::copies);
  const auto steps = [](const UpdateWork& update) { return !update.on_host.empty(); };
  const bool uses_host = !input.offloaded.stages.empty() ||
                         std::any_of(input.updates.begin(), input.updates.end(), steps);
  if (uses_host)
    for (const Stream stream :
         {Stream::leave, Stream::fetch, Stream::to_host, Stream::from_host, Stream::host})
      add(stream);
}

Updates::Updates(const LoweringInput& input, const OpTypes& types,
                 const std::vector<SimulatedMesh>& meshes)
    : in_(input), types_(types), meshes_(meshes), lanes_(input) {}

void Updates::gradients_complete(int step, int stage, int rank, uint32_t member,
                                 std::vector<OpId> ops) {
  if (in_.updates.empty()) return;
  completed_[{step, stage}].push_back({rank, member, std::move(ops)});
  std::vector<int>& stages = stages_[{step, rank}];
  if (std::find(stages.begin(), stages.end(), stage) == stages.end()) stages.push_back(stage);
}

void Updates::all_complete(int step, int rank, uint32_t member, OpId op) {
  if (!in_.updates.empty()) steps_[{step, simulated_rank(rank, member)}].before = op;
}

bool Updates::awaits_weights(int step, int rank) const {
  const std::vector<int>& stages = stages_.at({step, rank});
  return std::any_of(stages.begin(), stages.end(), [&](int stage) {
    return !types_.gather(stage).empty() || !types_.on_host(stage).empty();
  });
}

std::vector<uint32_t> Updates::step_types(int step, int rank) const {
  std::vector<uint32_t> types;
  if (in_.updates.empty()) return types;
  for (const int stage : stages_.at({step, rank}))
    if (types_.step(stage) != none) types.push_back(types_.step(stage));
  // What follows waits here for the updated weights.
  if (awaits_weights(step, rank)) types.push_back(types_.marker());
  return types;
}

void Updates::stepped(int step, int rank, uint32_t member, OpId op) {
  steps_[{step, simulated_rank(rank, member)}].ops.push_back(op);
}

int Updates::key(const Completed& member, Axis axis) const {
  const SimulatedMesh& mesh = meshes_[static_cast<size_t>(member.rank)];
  const int replica = mesh.replicas[member.member / static_cast<uint32_t>(mesh.tensor)].replica;
  return group_key(in_.grid.mesh(member.rank), axis, static_cast<int>(tensor_rank(member)),
                   replica);
}

std::vector<std::vector<Updates::Completed>> Updates::groups(
    const std::vector<Completed>& completed, Axis axis) const {
  std::map<int, std::vector<Completed>> by_key;
  for (const Completed& c : completed) by_key[key(c, axis)].push_back(c);
  std::vector<std::vector<Completed>> groups;
  for (auto& [key, members] : by_key) groups.push_back(std::move(members));
  return groups;
}

/// All devices of the group that `group`'s members stand for, simulated or not.
std::vector<int32_t> Updates::devices(const std::vector<Completed>& group, Axis axis) const {
  std::set<int> ranks;  // two where the stage has two copies
  for (const Completed& c : group) ranks.insert(c.rank);
  const int wanted = key(group.front(), axis);
  std::vector<int32_t> devices;
  for (const int rank : ranks) {
    const Mesh& mesh = in_.grid.mesh(rank);
    for (int replica = 0; replica < mesh.replicas(); ++replica)
      for (int t = 0; t < mesh.tensor; ++t)
        if (group_key(mesh, axis, t, replica) == wanted) devices.push_back(mesh.device(t, replica));
  }
  return devices;
}

OpId Updates::add_collective(ProgramBuilder& builder, uint32_t type, int step,
                             const std::vector<Completed>& members,
                             std::vector<int32_t> devices) const {
  builder.program.groups.push_back(std::move(devices));
  const uint32_t first = simulated_rank(members.front().rank, members.front().member);
  const OpId op = builder.add({.type = type,
                               .rank = first,
                               .peer = static_cast<uint32_t>(builder.program.groups.size() - 1),
                               .micro_batch = step});
  for (const Completed& m : members) {
    const LaneId lane = lanes_.lane(simulated_rank(m.rank, m.member), Stream::data);
    const std::vector<OpId>& ops = step_of(step, m).ops;
    // Sharded weights of the next iteration are gathered in the same lane, after this step.
    if (in_.sharded.stages.empty() || ops.empty())
      builder.append(lane, op);
    else
      builder.insert(lane, op, ops.front());
  }
  return op;
}

void Updates::reduce(ProgramBuilder& builder, int step, int stage) {
  for (const UpdateTypes& types : types_.reduce(stage))
    for (const std::vector<Completed>& group : groups(completed_.at({step, stage}), types.axis))
      reduce_group(builder, step, stage, group, types);
}

void Updates::reduce_group(ProgramBuilder& builder, int step, int stage,
                           const std::vector<Completed>& group, const UpdateTypes& types) {
  std::vector<int32_t> all = devices(group, types.axis);
  if (all.size() < 2) return;
  const OpId op = add_collective(builder, types.type, step, group, std::move(all));
  for (const Completed& m : group) {
    const Step& member = step_of(step, m);
    builder.depend(in_.overlap_data ? m.ops[types.part] : member.before, op);
    if (!member.ops.empty()) builder.depend(op, member.ops.front());
    std::vector<std::vector<OpId>>& reduced = ends_of(step, stage, m).reduced;
    reduced.resize(std::max(reduced.size(), types.part + 1));
    reduced[types.part].push_back(op);
  }
}

void Updates::tie_embeddings(ProgramBuilder& builder, int step) const {
  const int last = in_.schedule.stages - 1;
  if (types_.tied_embedding() == none) return;
  const std::vector<Completed>&first = completed_.at({step, 0}),
        &second = completed_.at({step, last});
  const Mesh& one = in_.grid.mesh(first.front().rank);
  const Mesh& other = in_.grid.mesh(second.front().rank);
  if (one.tensor != other.tensor || one.replicas() != other.replicas()) {
    std::vector<Completed> members = first;
    members.insert(members.end(), second.begin(), second.end());
    std::vector<int32_t> devices = one.devices;
    devices.insert(devices.end(), other.devices.begin(), other.devices.end());
    return tie(builder, step, members, std::move(devices));
  }
  for (const Completed& a : first) {
    for (const Completed& b : second) {
      if (a.member != b.member || a.rank == b.rank) continue;
      const SimulatedMesh& mesh = meshes_[static_cast<size_t>(a.rank)];
      const int t = static_cast<int>(tensor_rank(a));
      const int replica = mesh.replicas[a.member / static_cast<uint32_t>(mesh.tensor)].replica;
      tie(builder, step, {a, b},
          {in_.grid.device(a.rank, t, replica), in_.grid.device(b.rank, t, replica)});
    }
  }
}

void Updates::tie(ProgramBuilder& builder, int step, const std::vector<Completed>& members,
                  std::vector<int32_t> devices) const {
  const OpId op =
      add_collective(builder, types_.tied_embedding(), step, members, std::move(devices));
  for (const Completed& m : members) {
    const Step& member = step_of(step, m);
    builder.depend(member.before, op);
    if (!member.ops.empty()) builder.depend(op, member.ops.front());
  }
}

/// One all-reduce over all devices, between the gradients and every step.
void Updates::validate(ProgramBuilder& builder, int step) const {
  std::vector<int32_t> devices = in_.grid.devices();
  if (types_.norm() == none || devices.size() < 2) return;
  std::vector<Completed> members;  // one of each simulated rank
  std::set<std::pair<int, uint32_t>> seen;
  for (int stage = 0; stage < in_.schedule.stages; ++stage)
    for (const Completed& c : completed_.at({step, stage}))
      if (seen.insert({c.rank, c.member}).second) members.push_back(c);
  const OpId op = add_collective(builder, types_.norm(), step, members, std::move(devices));
  for (const Completed& m : members) {
    const Step& member = step_of(step, m);
    builder.depend(member.before, op);
    if (!member.ops.empty()) builder.depend(op, member.ops.front());
  }
}

/// Gradients leave as they are reduced. The host steps when all are there, as their norm has to be
/// known, part by part; the weights of one part come back while it steps the next.
void Updates::step_on_host(ProgramBuilder& builder, int step, int stage) {
  const std::vector<HostStepTypes>& parts = types_.on_host(stage);
  if (parts.empty()) return;
  for (const Completed& m : completed_.at({step, stage})) {
    const uint32_t rank = simulated_rank(m.rank, m.member);
    const Step& device = step_of(step, m);
    Ends& ends = ends_of(step, stage, m);
    const auto add = [&](uint32_t type, Stream stream) {
      const OpId op = builder.add({.type = type, .rank = rank, .micro_batch = step});
      builder.append(lanes_.lane(rank, stream), op);
      return op;
    };
    std::vector<OpId> there;
    for (size_t part = 0; part < parts.size(); ++part) {
      there.push_back(add(parts[part].gradients, Stream::to_host));
      const auto own = [part](const auto& all) { return all[std::min(part, all.size() - 1)]; };
      const bool early = in_.overlap_data && in_.sharded.stages.empty();
      builder.depend(early ? own(m.ops) : device.before, there.back());
      // Sharded gradients are reduced before the device's own part of the step.
      if (!in_.sharded.stages.empty()) builder.depend(device.ops.front(), there.back());
      if (ends.reduced.empty()) continue;
      for (const OpId reduced : own(ends.reduced)) builder.depend(reduced, there.back());
    }
    for (const HostStepTypes& types : parts) {
      const OpId stepped = add(types.step, Stream::host);
      for (const OpId op : there) builder.depend(op, stepped);
      if (device.ops.size() > 1) builder.depend(device.ops[device.ops.size() - 2], stepped);
      ends.updated = types.weights == none ? stepped : add(types.weights, Stream::from_host);
      if (types.weights != none) builder.depend(stepped, ends.updated);
    }
    builder.depend(ends.updated, device.ops.back());
  }
}

void Updates::gather(ProgramBuilder& builder, int step, int stage) {
  for (const UpdateTypes& types : types_.gather(stage))
    for (const std::vector<Completed>& group : groups(completed_.at({step, stage}), types.axis))
      gather_group(builder, step, stage, group, types);
}

void Updates::gather_group(ProgramBuilder& builder, int step, int stage,
                           const std::vector<Completed>& group, const UpdateTypes& types) {
  std::vector<int32_t> all = devices(group, types.axis);
  if (all.size() < 2) return;
  const OpId op = add_collective(builder, types.type, step, group, std::move(all));
  for (const Completed& m : group) {
    const std::vector<OpId>& ops = step_of(step, m).ops;  // kernels, then the marker
    builder.depend(ops.size() > 1 ? ops[ops.size() - 2] : step_of(step, m).before, op);
    const OpId updated = ends_of(step, stage, m).updated;
    if (updated != none) builder.depend(updated, op);
    builder.depend(op, ops.back());
  }
}

void Updates::connect(ProgramBuilder& builder) {
  if (completed_.empty()) return;
  const int steps = completed_.rbegin()->first.first + 1;
  const int stages = in_.schedule.stages;
  // All ranks issue collectives in this order: the last stages complete first.
  for (int step = 0; step < steps; ++step) {
    for (int stage = stages - 1; stage >= 0; --stage) reduce(builder, step, stage);
    tie_embeddings(builder, step);
    validate(builder, step);
    for (int stage = stages - 1; stage >= 0; --stage) step_on_host(builder, step, stage);
    for (int stage = stages - 1; stage >= 0; --stage) gather(builder, step, stage);
  }
}

}  // namespace pipewright
