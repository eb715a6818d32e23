#include "diagnose/cures.hpp"

#include <algorithm>

namespace pipewright::diagnose {
namespace {

/// `now` times `cured` / `before`.
Time shortened(Time now, Time cured, Time before) {
  if (now == before || before <= Time{}) return cured;
  return seconds(in_seconds(now) * in_seconds(cured) / in_seconds(before));
}

uint16_t bit(Aspect aspect) { return static_cast<uint16_t>(1U << static_cast<int>(aspect)); }

}  // namespace

Cures::Cures(const Evidence& evidence)
    : evidence_(evidence),
      lockstep_(evidence.of_job() ? Lockstep(evidence) : Lockstep()),
      sums_(evidence.of_job() ? SumQueues(evidence) : SumQueues()),
      none_{evidence.lengths, std::vector<uint16_t>(evidence.lengths.size()), lockstep_.measured(),
            step_s(evidence.lengths)} {}

double Cures::step_s(const std::vector<Time>& lengths) const {
  return mean_seconds(step_times(evidence_.trace, lengths));
}

/// A cure of a pass in lockstep is of what bytes take, of what is exchanged, or of what its rank
/// computes.
void Cures::cure_part(Aspect aspect, OpId op, Time length, Lockstep::Parts& parts) const {
  const Time before = evidence_.lengths[op], own = lockstep_.measured().own[op];
  if (aspect == Aspect::message || aspect == Aspect::exchange || aspect == Aspect::tokens) {
    Time& part = aspect == Aspect::message ? parts.bytes[op] : parts.exchanges[op];
    part = std::max(part - (before - length), Time{});
  } else {
    const Time cured = std::max(length - (before - own), Time{});
    parts.own[op] = shortened(parts.own[op], cured, own);
  }
}

Cured Cures::with(const Candidate& one, const Cured& from) const {
  Cured to = from;
  std::vector<OpId> together;
  for (const auto& [op, length] : one.cure) {
    if ((from.aspects[op] & bit(one.aspect)) != 0) continue;
    to.aspects[op] |= bit(one.aspect);
    if (!lockstep_.has(op)) {
      to.lengths[op] = shortened(from.lengths[op], length, evidence_.lengths[op]);
    } else if (one.aspect == Aspect::experts) {
      to.lengths[op] = std::min(from.lengths[op], length);
    } else {
      cure_part(one.aspect, op, length, to.parts);
      together.push_back(op);
    }
  }
  lockstep_.settle(to.parts, together, to.lengths);
  sums_.settle({none_.parts, none_.lengths}, {from.parts, from.lengths}, {to.parts, to.lengths},
               one.cure, to.lengths);
  to.step_s = step_s(to.lengths);
  return to;
}

}  // namespace pipewright::diagnose
