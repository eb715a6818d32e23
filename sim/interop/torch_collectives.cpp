#include "interop/torch_collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "interop/nccl_kind.hpp"
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

/// Kernels that move several messages at once (batch_isend_irecv). NCCL launches such a kernel when
/// the group of calls ends, so that no call is around its launch: it is of the calls on the thread
/// since the launch before it.
class Batches {
 public:
  Batches(RankProfile& profile, const NamingRanges& ranges) : profile_(profile), ranges_(ranges) {
    for (size_t i = 0; i < profile.events.size(); ++i) {
      const ProfiledEvent& event = profile.events[i];
      if (event.category != EventCategory::kernel || !is_of_nccl(profile.name(event))) continue;
      const auto launch = ranges.launches.find(event.correlation);
      if (launch != ranges.launches.end())
        launches_[launch->second->thread].emplace_back(launch->second->start, i);
    }
  }

  void name() {
    for (auto& [thread, launches] : launches_) {
      std::ranges::sort(launches);
      Time before = launches.front().first - seconds(1);
      for (const auto& [at, place] : launches) {
        ProfiledEvent& kernel = profile_.events[place];
        const bool is_batch =
            kernel.collective < 0 && nccl_kind(profile_.name(kernel)) == NcclKind::messages;
        if (is_batch) kernel.collective = batch_between(thread, before, at);
        before = at;
      }
    }
  }

 private:
  /// The messages that the thread asked for; -1: none.
  int32_t batch_between(int64_t thread, Time begin, Time end) {
    const auto found = ranges_.with_group.find(thread);
    if (found == ranges_.with_group.end()) return -1;
    std::vector<int32_t> calls;
    auto call = std::ranges::upper_bound(found->second, begin, {}, &ProfiledEvent::start);
    for (; call != found->second.end() && call->end() <= end; ++call) {
      const std::string& name = profile_.collectives[static_cast<size_t>(call->collective)].name;
      if (name == "send" || name == "recv") calls.push_back(call->collective);
    }
    return calls.size() < 2 ? (calls.empty() ? -1 : calls.front()) : place_of(calls);
  }

  int32_t place_of(const std::vector<int32_t>& calls) {
    ProfiledCollective all = profile_.collectives[static_cast<size_t>(calls.front())];
    bool sends = false, receives = false;
    all.peer = -1;
    for (const int32_t call : calls) {
      const ProfiledCollective& one = profile_.collectives[static_cast<size_t>(call)];
      const bool sent = one.name == "send";
      (sent ? sends : receives) = true;
      all.bytes = std::max(all.bytes, one.bytes);
      all.messages.push_back({sent, one.peer, std::max(one.bytes, one.received)});
    }
    all.name = sends && receives ? "sendrecv" : all.name;
    const auto [place, fresh] =
        places_.emplace(all, static_cast<int32_t>(profile_.collectives.size()));
    if (fresh) profile_.collectives.push_back(std::move(all));
    return place->second;
  }

  RankProfile& profile_;
  const NamingRanges& ranges_;
  std::map<int64_t, std::vector<std::pair<Time, size_t>>> launches_;  ///< by thread, of NCCL
  std::map<ProfiledCollective, int32_t> places_;
};

}  // namespace

void name_by_ranges(RankProfile& profile) {
  const NamingRanges ranges(profile);
  if (ranges.with_group.empty() && ranges.others.empty()) return;
  for (ProfiledEvent& event : profile.events) {
    if (event.category != EventCategory::kernel || event.collective >= 0) continue;
    if (is_of_nccl(profile.name(event))) event.collective = ranges.collective_of(event);
  }
  Batches(profile, ranges).name();
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
