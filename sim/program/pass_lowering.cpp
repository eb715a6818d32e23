#include "program/pass_lowering.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace pipewright {

using schedule::Action;
using schedule::Pass;

PassLowering::Passing PassLowering::begin(const Action& a, bool last, bool turns) const {
  const OpTypes& types = draft_.types;
  return {.action = a,
          .segments = last ? types.last_pass(a.pass, a.stage, a.slice)
                           : types.pass(a.pass, a.stage, a.slice),
          .last = last,
          .turns = turns,
          .notes_ends = last && !offloaded_.has(a.stage),
          .chains = {}};
}

void PassLowering::lower_segment(Passing& pass) {
  const SegmentTypes& segment = pass.segment();
  if (segment.starts_part) begin_part(segment, pass.action);
  add_kernels(pass);
  if (segment.ends_part) end_part(segment, pass.action, pass.last, pass.turns);
  if (segment.collective != none) add_collective(pass);
  ++pass.done;
}

void PassLowering::lower(const Action& a, bool last, bool turns) {
  Passing pass = begin(a, last, turns);
  while (!pass.is_over()) lower_segment(pass);
}

void PassLowering::lower_beside(const Action& a, const Action& b, bool last) {
  Passing forward = begin(a, false, false), backward = begin(b, last, false);
  lower_segment(forward);  // after all that came before
  for (const SegmentTypes& segment : forward.segments)
    backward.chains.first = std::max(backward.chains.first, segment.chain + 1);
  forward.chains.last = backward.chains.first;
  const size_t of_forward = forward.segments.size(), of_backward = backward.segments.size();
  while (!forward.is_over() || !backward.is_over()) {
    const bool is_behind = forward.done * of_backward <= backward.done * of_forward;
    lower_segment(backward.is_over() || (is_behind && !forward.is_over()) ? forward : backward);
  }
  join_ends(a, b);
}

void PassLowering::join_ends(const Action& a, const Action& b) {
  for (const uint32_t member : rank_.selected()) {
    draft_.ends.first(b, member) = draft_.ends.first(a, member);
    draft_.ends.last(a, member) = draft_.ends.last(b, member) = rank_.newest(member);
  }
}

void PassLowering::lower_pair(const Action& a, const Action& b, uint32_t type) {
  Program& program = draft_.builder.program;
  program.partners.push_back(b);
  for (const uint32_t member : rank_.selected()) {
    const OpId op = rank_.add_compute(member, type, a);
    depend_on_own_stage(b, member, op);
    for (const Action& action : {a, b}) depend_on_neighbour(action, member, op);
    program.ops[op].peer = static_cast<uint32_t>(program.partners.size() - 1);
    for (const Action& action : {a, b})
      draft_.ends.first(action, member) = draft_.ends.last(action, member) = op;
  }
}

void PassLowering::begin_part(const SegmentTypes& segment, const Action& a) {
  if (sharded_.has(a.stage)) sharded_.begin_part(segment.part, a);
  if (offloaded_.has(a.stage)) offloaded_.begin_part(segment.part, a);
}

void PassLowering::end_part(const SegmentTypes& segment, const Action& a, bool last, bool turns) {
  if (sharded_.has(a.stage)) sharded_.end_part(segment.part, a, last, turns);
  if (offloaded_.has(a.stage)) offloaded_.end_part(segment.part, a, turns);
}

void PassLowering::add_kernels(const Passing& pass) {
  const SegmentTypes& segment = pass.segment();
  const Action& a = pass.action;
  const bool joins_messages = a.pass != Pass::weight_gradient, first = pass.done == 0;
  const Chains chains = segment.joins ? pass.chains : Chains{pass.chain(), pass.chain() + 1};
  for (const uint32_t member : rank_.selected()) {
    const OpId op = rank_.add_compute(member, segment.compute, a, chains);
    if (pass.completes() && segment.collective == none) part_ends_[{a.stage, member}].push_back(op);
    if (first) depend_on_own_stage(a, member, op);
    if (first) depend_on_neighbour(a, member, op);
    if (first) follow_backwards(a, member, op);
    if (pass.hands_on())
      rank_.server(member, rank_.on_backward_server(a)).previous.push_back({op, pass.chain()});
    if (!joins_messages) continue;
    if (first) draft_.ends.first(a, member) = op;
    draft_.ends.last(a, member) = op;
  }
}

/// Gradients that are complete with the segment are not there before its collective is over.
void PassLowering::add_collective(const Passing& pass) {
  const SegmentTypes& segment = pass.segment();
  const Action& a = pass.action;
  const bool backward = rank_.on_backward_server(a);
  const Stream stream = backward ? Stream::backward_tensor : Stream::tensor;
  for (const GroupMembers* group : rank_.groups(segment.axis)) {
    const OpId op = rank_.add_collective(*group, segment.collective, a);
    for (const uint32_t member : group->members) {
      draft_.builder.append(rank_.lane(member, stream), op);
      Server& on = rank_.server(member, backward);
      draft_.builder.depend(on.newest, op);
      on.previous.push_back({op, pass.chain()});
      if (pass.completes()) part_ends_[{a.stage, member}].push_back(op);
    }
  }
}

/// B and I need what F of the stage left there, W what I did.
void PassLowering::depend_on_own_stage(const Action& a, uint32_t member, OpId op) {
  if (a.pass == Pass::forward) return;
  Action before = a;
  before.pass = a.pass == Pass::weight_gradient ? Pass::input_gradient : Pass::forward;
  draft_.builder.depend(draft_.ends.last(before, member), op);
}

/// F needs what F of the stage before left there, B and I what B or I of the next stage did. Of
/// other ranks that comes as a message.
void PassLowering::depend_on_neighbour(const Action& a, uint32_t member, OpId op) {
  if (a.pass == Pass::weight_gradient) return;
  Action before = a;
  before.stage += a.pass == Pass::forward ? -1 : 1;
  if (before.stage < 0 || before.stage >= draft_.schedule.stages) return;
  const OpId last = draft_.ends.last(before, member);
  const bool is_here = last != none && draft_.builder.program.ops[last].rank ==
                                           draft_.program_rank(rank_.number(), member);
  if (is_here) draft_.builder.depend(last, op);
}

/// Makes a forward wait for the backwards that precede it in the order, also where backwards have a
/// server of their own.
void PassLowering::follow_backwards(const Action& a, uint32_t member, OpId op) {
  if (!draft_.schedule.parallel_passes || a.pass != Pass::forward) return;
  const OpId before = rank_.server(member, true).newest;
  if (before != none) draft_.builder.depend(before, op);
}

std::vector<OpId> PassLowering::take_ends_of_parts(int stage, uint32_t member) {
  std::vector<OpId> ends = std::move(part_ends_[{stage, member}]);
  part_ends_.erase({stage, member});
  if (ends.empty()) ends.push_back(rank_.backward_server(member).newest);
  const std::vector<UpdateWork>& updates = draft_.in.updates;
  ensure(updates.empty() || ends.size() >= updates[stage].reduce.size(),
         "every reduction of a stage has its part of the last backward pass");
  return ends;
}

void PassLowering::before_optimizer() {
  if (!draft_.in.sharded.stages.empty()) sharded_.finish_reductions();
}

void PassLowering::after_optimizer() {
  if (!draft_.in.sharded.stages.empty()) sharded_.forget_gathered();
  offloaded_.fetch_anew();
}

}  // namespace pipewright
