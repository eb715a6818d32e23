#include "diagnose/lockstep.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace pipewright::diagnose {

namespace {

/// Step or iteration, group of data ranks, stage, direction, chunk, micro-batch.
using PassOfGroup = std::tuple<int32_t, int32_t, int32_t, int32_t, OperationKind, int32_t, int32_t>;

PassOfGroup pass_of(const TracedOperation& one) {
  return {one.step, one.iteration, lockstep_group(one), one.stage,
          one.kind, one.chunk,     one.micro_batch};
}

}  // namespace

void leave_lockstep(std::vector<TracedOperation>& operations) {
  std::set<PassOfGroup> waited_in;
  for (const TracedOperation& one : operations)
    if (one.together > 0 && one.waits > same_time) waited_in.insert(pass_of(one));
  for (TracedOperation& one : operations)
    if (one.together > 0 && !waited_in.contains(pass_of(one))) one.together = 0, one.waits = {};
}

Lockstep::Lockstep(const Evidence& evidence) {
  // Step, group of data ranks, stage, direction, chunk, micro-batch.
  using Name = std::tuple<int32_t, int32_t, int32_t, OperationKind, int32_t, int32_t>;
  std::map<Name, size_t> numbers;
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (!computes(one.kind) || one.together == 0) return;
    const Name name{one.step, lockstep_group(one), one.stage, one.kind, one.chunk, one.micro_batch};
    const size_t group = numbers.try_emplace(name, numbers.size()).first->second;
    if (group_of_.empty()) {
      const size_t ops = evidence.lengths.size();
      group_of_.resize(ops, none);
      measured_ = {std::vector<Time>(ops), std::vector<Time>(ops)};
    }
    if (group == groups_.size()) groups_.emplace_back();
    groups_[group].push_back(body);
    group_of_[body] = static_cast<uint32_t>(group);
    measured_.own[body] = evidence.own_length(one, body);
    passes_.push_back(
        {body, one.stage, one.chunk, one.micro_batch, one.kind, evidence.lengths[body], {}, {}});
    for (const Time exchange : one.exchanges) passes_.back().gathers -= exchange;
  });
  for (const Members& group : groups_) find_bytes(evidence, group);
  for (Pass& pass : passes_) {
    pass.bytes = measured_.bytes[pass.body];
    pass.gathers = std::max(pass.gathers + pass.bytes, Time{});
  }
}

/// What the slowest of them waits for is no other rank.
void Lockstep::find_bytes(const Evidence& evidence, const Members& group) {
  const OpId slowest =
      *std::ranges::max_element(group, {}, [&](OpId body) { return measured_.own[body]; });
  for (const OpId body : group)
    measured_.bytes[body] = evidence.lengths[slowest] - measured_.own[slowest];
}

void Lockstep::settle(const Parts& parts, const std::vector<OpId>& changed,
                      std::vector<Time>& lengths) const {
  std::set<uint32_t> numbers;
  for (const OpId body : changed) numbers.insert(group_of_[body]);
  for (const uint32_t number : numbers) {
    const Members& group = groups_[number];
    Time slowest;
    for (const OpId body : group) slowest = std::max(slowest, parts.own[body]);
    for (const OpId body : group)
      lengths[body] = std::min(lengths[body], slowest + parts.bytes[body]);
  }
}

}  // namespace pipewright::diagnose
