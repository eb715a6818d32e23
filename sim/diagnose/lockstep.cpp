#include "diagnose/lockstep.hpp"

#include <algorithm>
#include <set>

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
  std::map<Name, size_t> numbers;
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (!computes(one.kind) || one.together == 0) return;
    const Name name{one.step, lockstep_group(one), one.stage, one.kind, one.chunk, one.micro_batch};
    const size_t group = numbers.try_emplace(name, numbers.size()).first->second;
    if (group == groups_.size()) groups_.emplace_back();
    groups_[group].push_back(
        {body, evidence.lengths[body], evidence.lengths[body] - evidence.own_length(one, body)});
    group_of_[body] = group;
  });
}

/// What the slowest of them waits for is no other rank.
Time Lockstep::bytes_of(const Members& group) {
  return std::ranges::max_element(group, {},
                                  [](const Member& one) { return one.length - one.waits; })
      ->waits;
}

Lengths Lockstep::without_bytes() const {
  Lengths cure;
  for (const Members& group : groups_)
    for (const Member& one : group)
      if (const Time bytes = bytes_of(group); bytes > Time{})
        cure.emplace_back(one.body, std::max(one.length - bytes, Time{}));
  return cure;
}

void Lockstep::shorten(Lengths& cure) const {
  if (groups_.empty()) return;
  std::map<OpId, Time> cured;
  std::set<size_t> groups;
  for (const auto& [body, length] : cure)
    if (const auto found = group_of_.find(body); found != group_of_.end()) {
      cured[body] = length;
      groups.insert(found->second);
    }
  std::erase_if(cure, [&](const auto& one) { return cured.contains(one.first); });
  for (const size_t number : groups) {
    const Members& group = groups_[number];
    const Time bytes = bytes_of(group);
    Time slowest;
    for (const Member& one : group) {
      const auto found = cured.find(one.body);
      slowest = std::max(slowest, (found == cured.end() ? one.length : found->second) - one.waits);
    }
    for (const Member& one : group)
      cure.emplace_back(one.body, std::min(one.length, slowest + bytes));
  }
}

}  // namespace pipewright::diagnose
