#include "program/host_steps.hpp"

#include <algorithm>

namespace pipewright {
namespace {

/// The step of one member's host.
class HostStep {
 public:
  HostStep(ProgramDraft& draft, int step, const CompletedMember& member, const StepOps& device,
           UpdateEnds& ends)
      : draft_(draft),
        step_(step),
        rank_(draft.program_rank(member.rank, member.member)),
        member_(member),
        device_(device),
        ends_(ends),
        sharded_(!draft.in.sharded.stages.empty()) {}

  void add(const std::vector<HostStepTypes>& parts) {
    for (size_t part = 0; part < parts.size(); ++part) send_gradients(part, parts[part].gradients);
    for (const HostStepTypes& types : parts) update(types);
    draft_.builder.depend(ends_.updated, device_.ops.back());
  }

 private:
  /// Returns what belongs to the part; the last covers those that come after it.
  template <typename Parts>
  static const auto& own(const Parts& all, size_t part) {
    return all[std::min(part, all.size() - 1)];
  }

  OpId add_op(uint32_t type, Stream stream) {
    const OpId op = draft_.builder.add({.type = type, .rank = rank_, .micro_batch = step_});
    draft_.builder.append(draft_.lanes.lane(rank_, stream), op);
    return op;
  }

  void send_gradients(size_t part, uint32_t type) {
    const OpId op = add_op(type, Stream::to_host);
    there_.push_back(op);
    const bool early = draft_.in.overlap_data && !sharded_;
    draft_.builder.depend(early ? own(member_.ops, part) : device_.before, op);
    // Sharded gradients are reduced before the device's own part of the step.
    if (sharded_) draft_.builder.depend(device_.ops.front(), op);
    if (ends_.reduced.empty()) return;
    for (const OpId reduced : own(ends_.reduced, part)) draft_.builder.depend(reduced, op);
  }

  void update(const HostStepTypes& types) {
    const OpId stepped = add_op(types.step, Stream::host);
    for (const OpId op : there_) draft_.builder.depend(op, stepped);
    const size_t count = device_.ops.size();
    if (count > 1) draft_.builder.depend(device_.ops[count - 2], stepped);
    ends_.updated = stepped;
    if (types.weights == none) return;
    ends_.updated = add_op(types.weights, Stream::from_host);
    draft_.builder.depend(stepped, ends_.updated);
  }

  ProgramDraft& draft_;
  int step_;
  uint32_t rank_;
  const CompletedMember& member_;
  const StepOps& device_;
  UpdateEnds& ends_;
  bool sharded_;
  std::vector<OpId> there_;  ///< gradients on the host
};

}  // namespace

void step_on_host(ProgramDraft& draft, const Updates& updates, UpdateEndsOf& ends, int step,
                  int stage) {
  const std::vector<HostStepTypes>& parts = draft.types.on_host(stage);
  if (parts.empty()) return;
  for (const CompletedMember& m : updates.completed(step, stage)) {
    UpdateEnds& own = ends[{step, stage, draft.program_rank(m.rank, m.member)}];
    HostStep(draft, step, m, updates.step_of(step, m), own).add(parts);
  }
}

}  // namespace pipewright
