// Lowers what the host keeps for a device, layer by layer; copies run beside compute, one each way
// at a time (ZeRO-Infinity, arXiv 2104.07857; vDNN, 1602.08124).
//
//   weights      come before a layer's forward and backward; nothing is copied back, as they do not
//                change. The layer at which a forward turns into its backward stays.
//   activations  leave when a layer's forward has computed and come back before its backward. Those
//                of the layer at which a forward turns into its backward stay.
//   prefetch p   what a layer needs is fetched when the one 1 + p before it has computed, so 1 + p
//                layers' are there at most
//   forward      a layer computes once the activations of the one two before it have left, so that
//                those of two layers are there at most
// A weight gradient that is put off finds the activations that its input gradient has fetched.
// Left out: pinning of host memory, the host's own traffic (data loading, other programs).
#include "program/lower_offload.hpp"

namespace pipewright {

using schedule::Action;
using schedule::Pass;

namespace {

constexpr size_t layers_that_leave = 2;

}  // namespace

OffloadedRank::OffloadedRank(ProgramDraft& draft, LoweredRank& rank)
    : draft_(draft), rank_(rank), window_(static_cast<size_t>(draft.in.offloaded.prefetch) + 1) {}

OpId OffloadedRank::add_copy(uint32_t member, uint32_t type, Stream stream, const Action& a) {
  const OpId op = draft_.builder.add({.type = type,
                                      .rank = draft_.program_rank(rank_.number(), member),
                                      .micro_batch = a.micro_batch,
                                      .slice = a.slice});
  draft_.builder.append(rank_.lane(member, stream), op);
  return op;
}

/// A copy to the device, for the run that comes next. `after`: by member; empty for nothing.
void OffloadedRank::add_fetch(uint32_t type, const Action& a, const std::vector<OpId>& after) {
  const size_t run = runs_.size();
  for (const uint32_t member : rank_.members()) {
    const OpId op = add_copy(member, type, Stream::fetch, a);
    if (run >= window_)
      draft_.builder.depend(runs_[run - window_].ends[member], op);
    else if (!stepped_.empty())
      draft_.builder.depend(stepped_[member], op);
    if (!after.empty()) draft_.builder.depend(after[member], op);
    rank_.next_waits_for(member, op);
  }
}

void OffloadedRank::begin_part(int part, const Action& a) {
  if (a.pass != Pass::weight_gradient) fetch_part(part, a);
  if (runs_.size() >= layers_that_leave) {
    const std::vector<OpId>& leaves = runs_[runs_.size() - layers_that_leave].leaves;
    for (uint32_t member = 0; member < leaves.size(); ++member)
      rank_.next_waits_for(member, leaves[member]);
  }
  runs_.push_back({.stage = a.stage, .part = part, .ends = {}, .leaves = {}});
}

void OffloadedRank::fetch_part(int part, const Action& a) {
  const OffloadTypes& types = draft_.types.offload(a.stage, part);
  const bool there = !runs_.empty() && runs_.back().stage == a.stage && runs_.back().part == part;
  if (types.weights != none && !there) add_fetch(types.weights, a, {});
  if (a.pass == Pass::forward) return;
  const auto left = left_.find(piece_of(a, part));
  if (left == left_.end()) return;
  add_fetch(types.come_back, a, left->second);
  left_.erase(left);
}

void OffloadedRank::end_part(int part, const Action& a, bool turns) {
  Run& run = runs_.back();
  for (const uint32_t member : rank_.members()) run.ends.push_back(rank_.newest(member));
  const uint32_t type = draft_.types.offload(a.stage, part).leave;
  const bool stays = turns && part + 1 == draft_.types.offloaded_parts(a.stage);
  if (a.pass != Pass::forward || type == none || stays) return;
  for (const uint32_t member : rank_.members()) {
    run.leaves.push_back(add_copy(member, type, Stream::leave, a));
    draft_.builder.depend(run.ends[member], run.leaves.back());
  }
  left_[piece_of(a, part)] = run.leaves;
}

void OffloadedRank::fetch_anew() {
  runs_.clear();
  stepped_.clear();
  for (const uint32_t member : rank_.members()) stepped_.push_back(rank_.newest(member));
}

}  // namespace pipewright
