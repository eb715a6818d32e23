#include "diagnose/joined_candidates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace pipewright::diagnose {
namespace {

/// Causes that hide each other recover so many times as much together as one by one.
constexpr double more_together = 2;
/// Without one of them the others recover less by this part.
constexpr double needed = 0.02;
/// Below this, passes of a healthy device vary as much (falling_clocks.cpp).
constexpr double least_slowdown = 1.03;

using Members = std::vector<const Tried*>;

bool is_slow(const Candidate& one, const Cured& now) {
  double own = 0, cured = 0;
  for (const auto& [op, length] : one.cure) {
    own += in_seconds(now.lengths[op]);
    cured += in_seconds(length);
  }
  return own > least_slowdown * cured;
}

/// Those that may hide each other.
Members members_of(CauseKind kind, const std::vector<Tried>& all, const Cured& now) {
  Members members;
  for (const Tried& one : all)
    if (one.candidate.kind == kind && one.candidate.aspect != Aspect::clock &&
        is_slow(one.candidate, now))
      members.push_back(&one);
  return members;
}

std::string remedy_of(const Candidate& all, size_t count) {
  return fmt::format("{}: with one of them cured a step waits for the others",
                     all.kind == CauseKind::stage && all.of_devices
                         ? fmt::format("look at the devices of these {} stages together", count)
                     : all.kind == CauseKind::stage
                         ? fmt::format("give these {} stages fewer layers together", count)
                         : fmt::format("look at these {} devices and their hosts together", count));
}

Candidate joined(const MeasuredJob& job, const Members& members) {
  Candidate all;
  std::vector<std::string> names;
  for (const Tried* one : members) {
    const Candidate& candidate = one->candidate;
    all.kind = candidate.kind;
    all.aspect = candidate.aspect;
    if (std::ranges::find(names, candidate.who) == names.end()) names.push_back(candidate.who);
    std::ranges::copy(candidate.ranks, std::back_inserter(all.ranks));
    std::ranges::copy(candidate.cure, std::back_inserter(all.cure));
    std::ranges::copy(candidate.as_ideal, std::back_inserter(all.as_ideal));
  }
  const bool by_names = all.kind == CauseKind::stage || all.ranks.size() < members.size() ||
                        std::ranges::any_of(names, has_member);
  all.who = by_names ? fmt::format("{}", fmt::join(names, "; ")) : ranks_name(job, all.ranks);
  all.of_devices =
      std::ranges::all_of(members, [](const Tried* one) { return one->candidate.of_devices; });
  if (all.kind == CauseKind::stage && !all.of_devices) all.ranks.clear();
  all.remedy = remedy_of(all, members.size());
  return all;
}

}  // namespace

bool has_member(const std::string& who) {
  return who.find("tensor rank") != std::string::npos ||
         who.find("context rank") != std::string::npos;
}

void join_hidden(const MeasuredJob& job, const Cures& cures, const Cured& now, CauseKind kind,
                 std::vector<Tried>& all) {
  Members members = members_of(kind, all, now);
  const auto recovered_from = [&](const Cured& from, const Members& some) {
    return from.step_s - cures.with(joined(job, some), from).step_s;
  };
  double one_by_one = 0;
  for (const Tried* one : members) one_by_one += one->now_s;
  const double together = recovered_from(now, members);
  if (together < smallest_behind * cures.none().step_s || together < more_together * one_by_one)
    return;
  for (size_t i = members.size(); i-- > 0;) {  // those that save least first
    Members others = members;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (recovered_from(now, others) >= (1 - needed) * together) members = others;
  }
  if (members.size() < 2) return;
  all.push_back({joined(job, members), std::max(recovered_from(cures.none(), members), 0.0),
                 recovered_from(now, members)});
}

}  // namespace pipewright::diagnose
