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

double part_of(Time now, Time measured) {
  return measured > Time{} ? in_seconds(now) / in_seconds(measured) : 1;
}

void leave_lockstep(std::vector<TracedOperation>& operations) {
  std::set<PassOfGroup> waited_in;
  for (const TracedOperation& one : operations)
    if (one.together > 0 && one.waits > same_time) waited_in.insert(pass_of(one));
  for (TracedOperation& one : operations)
    if (one.together > 0 && !waited_in.contains(pass_of(one))) one.together = 0, one.waits = {};
}

Lockstep::Lockstep(const Evidence& evidence) : lengths_(evidence.lengths) {
  // Step, group of data ranks, stage, direction, chunk, micro-batch.
  using Name = std::tuple<int32_t, int32_t, int32_t, OperationKind, int32_t, int32_t>;
  std::map<Name, size_t> numbers;
  std::set<size_t> waiting;  // groups of passes that wait for all that data ranks communicate
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (!computes(one.kind) || (one.together == 0 && one.windows < 0)) return;
    size_t group = groups_.size();
    if (one.together > 0)
      group = numbers
                  .try_emplace(Name{one.step, lockstep_group(one), one.stage, one.kind, one.chunk,
                                    one.micro_batch},
                               group)
                  .first->second;
    if (one.together > 0) waiting.insert(group);
    add_pass(evidence, one, body, group);
  });
  for (Group& group : groups_) {
    find_bytes(group);
    if (const int32_t place = group.places[group.slowest]; place >= 0)
      group.windows = evidence.job.windows[static_cast<size_t>(place)];
    if (!waiting.contains(static_cast<size_t>(&group - groups_.data()))) continue;
    for (PassWindow& window : group.windows) window.collectives += window.sums;
  }
  for (Pass& pass : passes_) pass.gathers = measured_.bytes[pass.body];
}

void Lockstep::add_pass(const Evidence& evidence, const TracedOperation& one, OpId body,
                        size_t group) {
  if (group_of_.empty()) {
    const size_t ops = lengths_.size();
    group_of_.resize(ops, none);
    measured_ = {std::vector<Time>(ops), std::vector<Time>(ops), std::vector<Time>(ops)};
  }
  if (group == groups_.size()) groups_.emplace_back();
  groups_[group].members.push_back(body);
  groups_[group].places.push_back(one.windows);
  group_of_[body] = static_cast<uint32_t>(group);
  measured_.own[body] = evidence.own_length(one, body);
  Time exchanges;
  for (const Time exchange : one.exchanges) exchanges += exchange;
  measured_.exchanges[body] = std::min(exchanges, lengths_[body] - measured_.own[body]);
  if (one.together > 0)
    passes_.push_back(
        {body, one.stage, one.chunk, one.micro_batch, one.kind, lengths_[body], {}, one.elsewhere});
}

/// What the slowest of them waits for is no other rank.
void Lockstep::find_bytes(Group& group) {
  const auto slowest =
      std::ranges::max_element(group.members, {}, [&](OpId body) { return measured_.busy(body); });
  group.slowest = static_cast<size_t>(slowest - group.members.begin());
  for (const OpId body : group.members)
    measured_.bytes[body] = std::max(lengths_[*slowest] - measured_.busy(*slowest), Time{});
}

/// What is left of what the group waits for bytes. All of it gathers and sums together: what is
/// cured for one is for all.
double Lockstep::bytes_left(const Group& group, const Parts& parts) const {
  double left = 1;
  for (const OpId body : group.members)
    left = std::min(left, part_of(parts.bytes[body], measured_.bytes[body]));
  return left;
}

/// The length of a group whose windows are known. Those of the slowest tell how long
/// it waits in each, and how long collectives last beside which it computes. What it did before the
/// last of the group came, it does beside them once nothing holds that one up.
Time Lockstep::settled(const Group& group, const Parts& parts) const {
  const OpId slowest = group.members[group.slowest];
  const double own = part_of(parts.own[slowest], measured_.own[slowest]);
  const double exchanges = part_of(parts.exchanges[slowest], measured_.exchanges[slowest]);
  const double bytes = bytes_left(group, parts);
  double takes_s = 0, waits_s = 0;
  for (const PassWindow& window : group.windows) {
    const Time wait = window.length - window.own - window.exchanges;
    const double wait_s = bytes * in_seconds(wait);
    takes_s +=
        std::max(window.busy_s(own, exchanges) + wait_s, bytes * in_seconds(window.collectives));
    waits_s += wait_s;
  }
  for (const OpId other : group.members)
    if (other != slowest) takes_s = std::max(takes_s, in_seconds(parts.busy(other)) + waits_s);
  return seconds(takes_s);
}

/// What the slowest of a group computes and exchanges, and then bytes.
Time Lockstep::with_bytes(const Group& group, const Parts& parts) const {
  Time slowest;
  for (const OpId body : group.members) slowest = std::max(slowest, parts.busy(body));
  const Time bytes = measured_.bytes[group.members.front()];
  return slowest + seconds(bytes_left(group, parts) * in_seconds(bytes));
}

void Lockstep::settle(const Parts& parts, const std::vector<OpId>& changed,
                      std::vector<Time>& lengths) const {
  std::set<uint32_t> numbers;
  for (const OpId body : changed) numbers.insert(group_of_[body]);
  for (const uint32_t number : numbers) {
    const Group& group = groups_[number];
    const Time length = group.windows.empty() ? with_bytes(group, parts) : settled(group, parts);
    for (const OpId body : group.members)
      lengths[body] = group.members.size() == 1 ? length : std::min(lengths[body], length);
  }
}

}  // namespace pipewright::diagnose
