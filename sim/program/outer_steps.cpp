#include "program/outer_steps.hpp"

#include "program/update_groups.hpp"

namespace pipewright {
namespace {

/// Adds a collective of the group, in the data lanes of those of its members that are simulated.
/// Returns `none` for a group of one device.
OpId add(ProgramDraft& draft, int step, const UpdateGroup& group, const UpdateTypes& types) {
  std::vector<int32_t> devices = devices_of(draft, group, types.axis);
  if (devices.size() < 2) return none;
  std::vector<std::vector<int32_t>>& groups = draft.builder.program.groups;
  groups.push_back(std::move(devices));
  const OpId op =
      draft.builder.add({.type = types.type,
                         .rank = draft.program_rank(group.front().rank, group.front().member),
                         .peer = static_cast<uint32_t>(groups.size() - 1),
                         .micro_batch = step});
  for (const CompletedMember& m : group)
    draft.builder.append(draft.lanes.lane(draft.program_rank(m.rank, m.member), Stream::data), op);
  return op;
}

void exchange(ProgramDraft& draft, const Updates& updates, int step, int stage,
              const UpdateGroup& group) {
  const OpId op = add(draft, step, group, {draft.types.outer(stage).exchange, Axis::sites, 0});
  if (op == none) return;
  for (const CompletedMember& m : group) {
    const StepOps& own = updates.step_of(step, m);
    draft.builder.depend(own.differences.at(stage), op);
    draft.builder.depend(op, own.outer.at(stage));
  }
}

void gather_weights(ProgramDraft& draft, const Updates& updates, std::pair<int, int> step_and_stage,
                    const UpdateTypes& types, const UpdateGroup& group) {
  const auto [step, stage] = step_and_stage;
  const OpId op = add(draft, step, group, types);
  if (op == none) return;
  for (const CompletedMember& m : group) {
    const StepOps& own = updates.step_of(step, m);
    draft.builder.depend(own.outer.at(stage), op);
    draft.builder.depend(op, own.outer_end);
  }
}

}  // namespace

void add_outer_step(ProgramDraft& draft, LoweredRank& rank, Updates& updates, int step,
                    uint32_t member) {
  if (draft.in.updates.empty()) return;
  StepOps& ops = updates.outer_step_of(step, rank.number(), member);
  const std::vector<int>& stages = updates.stages_on(step, rank.number());
  const auto add_op = [&](uint32_t type) {
    return rank.add_compute(member, type, {.micro_batch = step});
  };
  bool gathers = false;
  for (const int stage : stages)
    if (const OuterTypes& types = draft.types.outer(stage); types.difference != none)
      ops.differences[stage] = add_op(types.difference);
  for (const int stage : stages) {
    const OuterTypes& types = draft.types.outer(stage);
    if (types.step == none) continue;
    ops.outer[stage] = add_op(types.step);
    gathers = gathers || !types.gather.empty();
  }
  if (gathers) ops.outer_end = add_op(draft.types.marker());
}

void meet_sites(ProgramDraft& draft, const Updates& updates, int step, int stage) {
  const OuterTypes& types = draft.types.outer(stage);
  if (types.exchange == none) return;
  const UpdateGroup& completed = updates.completed(step, stage);
  for (const UpdateGroup& group : update_groups(draft, completed, Axis::sites))
    exchange(draft, updates, step, stage, group);
  for (const UpdateTypes& gather : types.gather)
    for (const UpdateGroup& group : update_groups(draft, completed, gather.axis))
      gather_weights(draft, updates, {step, stage}, gather, group);
}

}  // namespace pipewright
