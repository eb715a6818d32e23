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
  if (input.grid.shard > 0 && input.grid.shard < input.grid.replicas()) add(Stream::copies);
}

Updates::Updates(const LoweringInput& input, const OpTypes& types, int tensor,
                 const std::vector<ReplicaClass>& replicas)
    : in_(input),
      types_(types),
      tensor_(static_cast<uint32_t>(tensor)),
      replicas_(replicas),
      width_(tensor_ * static_cast<uint32_t>(replicas.size())),
      lanes_(input) {}

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

bool Updates::gathers(int step, int rank) const {
  const std::vector<int>& stages = stages_.at({step, rank});
  return std::any_of(stages.begin(), stages.end(),
                     [&](int stage) { return !types_.gather(stage).empty(); });
}

std::vector<uint32_t> Updates::step_types(int step, int rank) const {
  std::vector<uint32_t> types;
  if (in_.updates.empty()) return types;
  for (const int stage : stages_.at({step, rank}))
    if (types_.step(stage) != none) types.push_back(types_.step(stage));
  // What follows waits here for the gathered weights.
  if (gathers(step, rank)) types.push_back(types_.marker());
  return types;
}

void Updates::stepped(int step, int rank, uint32_t member, OpId op) {
  steps_[{step, simulated_rank(rank, member)}].ops.push_back(op);
}

int Updates::key(const Completed& member, Axis axis) const {
  const int tensor_rank = static_cast<int>(member.member % tensor_);
  return group_key(in_.grid, axis, tensor_rank, replicas_[member.member / tensor_].replica);
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
  for (const int rank : ranks)
    for (int replica = 0; replica < in_.grid.replicas(); ++replica)
      for (int t = 0; t < in_.grid.tensor; ++t)
        if (group_key(in_.grid, axis, t, replica) == wanted)
          devices.push_back(in_.grid.device(rank, t, replica));
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
    builder.append(lanes_.lane(simulated_rank(m.rank, m.member), Stream::data), op);
  }
  return op;
}

void Updates::reduce(ProgramBuilder& builder, int step, int stage) const {
  for (const UpdateTypes& types : types_.reduce(stage))
    for (const std::vector<Completed>& group : groups(completed_.at({step, stage}), types.axis))
      reduce_group(builder, step, group, types);
}

void Updates::reduce_group(ProgramBuilder& builder, int step, const std::vector<Completed>& group,
                           const UpdateTypes& types) const {
  std::vector<int32_t> all = devices(group, types.axis);
  if (all.size() < 2) return;
  const OpId op = add_collective(builder, types.type, step, group, std::move(all));
  for (const Completed& m : group) {
    const Step& member = step_of(step, m);
    builder.depend(in_.overlap_data ? m.ops[types.part] : member.before, op);
    if (!member.ops.empty()) builder.depend(op, member.ops.front());
  }
}

void Updates::tie_embeddings(ProgramBuilder& builder, int step) const {
  const int last = in_.schedule.stages - 1;
  if (types_.tied_embedding() == none) return;
  for (const Completed& a : completed_.at({step, 0})) {
    for (const Completed& b : completed_.at({step, last})) {
      if (a.member != b.member || a.rank == b.rank) continue;
      const int tensor_rank = static_cast<int>(a.member % tensor_);
      const int replica = replicas_[a.member / tensor_].replica;
      const OpId op = add_collective(builder, types_.tied_embedding(), step, {a, b},
                                     {in_.grid.device(a.rank, tensor_rank, replica),
                                      in_.grid.device(b.rank, tensor_rank, replica)});
      for (const Completed& m : {a, b}) {
        const Step& member = step_of(step, m);
        builder.depend(member.before, op);
        if (!member.ops.empty()) builder.depend(op, member.ops.front());
      }
    }
  }
}

/// One all-reduce over all devices, between the gradients and every step.
void Updates::validate(ProgramBuilder& builder, int step) const {
  if (types_.norm() == none || in_.grid.devices.size() < 2) return;
  std::vector<Completed> members;  // one of each simulated rank
  std::set<std::pair<int, uint32_t>> seen;
  for (int stage = 0; stage < in_.schedule.stages; ++stage)
    for (const Completed& c : completed_.at({step, stage}))
      if (seen.insert({c.rank, c.member}).second) members.push_back(c);
  const OpId op = add_collective(builder, types_.norm(), step, members, in_.grid.devices);
  for (const Completed& m : members) {
    const Step& member = step_of(step, m);
    builder.depend(member.before, op);
    if (!member.ops.empty()) builder.depend(op, member.ops.front());
  }
}

void Updates::gather(ProgramBuilder& builder, int step, int stage) const {
  for (const UpdateTypes& types : types_.gather(stage))
    for (const std::vector<Completed>& group : groups(completed_.at({step, stage}), types.axis))
      gather_group(builder, step, group, types);
}

void Updates::gather_group(ProgramBuilder& builder, int step, const std::vector<Completed>& group,
                           const UpdateTypes& types) const {
  std::vector<int32_t> all = devices(group, types.axis);
  if (all.size() < 2) return;
  const OpId op = add_collective(builder, types.type, step, group, std::move(all));
  for (const Completed& m : group) {
    const std::vector<OpId>& ops = step_of(step, m).ops;  // kernels, then the marker
    builder.depend(ops.size() > 1 ? ops[ops.size() - 2] : step_of(step, m).before, op);
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
    for (int stage = stages - 1; stage >= 0; --stage) gather(builder, step, stage);
  }
}

}  // namespace pipewright
