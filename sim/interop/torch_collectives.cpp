#include "interop/torch_collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "interop/words.hpp"

namespace pipewright::interop {
namespace {

/// By thread, in the order of their starts.
using CommRanges = std::map<int64_t, std::vector<ProfiledEvent>>;

/// The collective of the last range on the thread that began before `at`, unless it has ended.
int32_t collective_around(const CommRanges& ranges, int64_t thread, Time at) {
  const auto found = ranges.find(thread);
  if (found == ranges.end()) return -1;
  const auto after = std::ranges::upper_bound(found->second, at, {}, &ProfiledEvent::start);
  if (after == found->second.begin()) return -1;
  const ProfiledEvent& range = *std::prev(after);
  return at <= range.end() ? range.collective : -1;
}

bool is_of_nccl(const std::string& kernel) {
  const std::string name = lower_case(kernel.substr(0, 200));
  return name.find("nccl") != std::string::npos || name.find("rccl") != std::string::npos;
}

/// The ranges of collectives and the launches of a rank.
struct NamingRanges {
  // A range that names a group has one within that does not.
  CommRanges with_group, others;
  std::unordered_map<int64_t, const ProfiledEvent*> launches;

  explicit NamingRanges(const RankProfile& profile) {
    for (const ProfiledEvent& event : profile.events) {
      if (event.category == EventCategory::launch) launches[event.correlation] = &event;
      if (event.category != EventCategory::collective_range) continue;
      (profile.names_group(event.collective) ? with_group : others)[event.thread].push_back(event);
    }
    for (CommRanges* ranges : {&with_group, &others})
      for (auto& [thread, all] : *ranges) std::ranges::stable_sort(all, {}, &ProfiledEvent::start);
  }

  /// The collective around the launch of a kernel; -1 where there is none.
  int32_t collective_of(const ProfiledEvent& kernel) const {
    const auto launch = launches.find(kernel.correlation);
    if (launch == launches.end()) return -1;
    const auto& [thread, at] = std::pair(launch->second->thread, launch->second->start);
    const int32_t of_group = collective_around(with_group, thread, at);
    return of_group >= 0 ? of_group : collective_around(others, thread, at);
  }
};

}  // namespace

void name_by_ranges(RankProfile& profile) {
  const NamingRanges ranges(profile);
  if (ranges.with_group.empty() && ranges.others.empty()) return;
  for (ProfiledEvent& event : profile.events) {
    if (event.category != EventCategory::kernel || event.collective >= 0) continue;
    if (is_of_nccl(profile.name(event))) event.collective = ranges.collective_of(event);
  }
  std::erase_if(profile.events, [](const ProfiledEvent& event) {
    return event.category == EventCategory::collective_range;
  });
}

void complete_groups(const nlohmann::json& job, RankProfile& profile) {
  const auto groups = job.find("pg_config");
  if (groups == job.end() || !groups->is_array()) return;
  std::map<std::string, std::vector<int64_t>> ranks_of;
  for (const nlohmann::json& group : *groups) {
    if (!group.is_object()) continue;
    const auto name = group.find("pg_name"), ranks = group.find("ranks");
    if (name == group.end() || !name->is_string()) continue;
    if (ranks == group.end() || !ranks->is_array()) continue;
    std::vector<int64_t>& all = ranks_of[name->get<std::string>()];
    for (const nlohmann::json& rank : *ranks)
      if (rank.is_number_integer()) all.push_back(rank.get<int64_t>());
  }
  for (ProfiledCollective& one : profile.collectives) {
    const auto found = ranks_of.find(one.group);
    if (found == ranks_of.end() || found->second.empty()) continue;
    one.ranks = fmt::format("[{}]", fmt::join(found->second, ", "));
    one.size = static_cast<int32_t>(std::min<size_t>(found->second.size(), INT32_MAX));
  }
}

}  // namespace pipewright::interop
