#include "diagnose/lockstep.hpp"

#include <algorithm>
#include <set>

namespace pipewright::diagnose {

Lockstep::Lockstep(const Evidence& evidence) {
  std::map<Name, size_t> numbers;
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (!computes(one.kind) || one.own <= Time{}) return;
    const Name name{one.step, one.stage, one.kind, one.chunk, one.micro_batch};
    const size_t group = numbers.try_emplace(name, numbers.size()).first->second;
    if (group == groups_.size()) groups_.emplace_back();
    groups_[group].push_back(
        {body, evidence.lengths[body], evidence.lengths[body] - evidence.own_length(one, body)});
    group_of_[body] = group;
  });
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
    const std::vector<Member>& group = groups_[number];
    const auto own = [](const Member& one) { return one.length - one.waits; };
    const Time bytes = std::ranges::max_element(group, {}, own)->waits;
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
