#include "diagnose/main_groups.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "interop/words.hpp"

namespace pipewright::diagnose {
namespace {

constexpr double worth_mentioning = 0.01;  // of the bytes of a traffic

struct GroupMoved {
  double bytes = 0;
  const ProfiledCollective* one = nullptr;
};

bool is_before(const GroupMoved& one, const GroupMoved& other) {
  return std::pair(one.one->size, one.bytes) > std::pair(other.one->size, other.bytes);
}

}  // namespace

bool joins_stages(const ProfiledCollective& collective) {
  return interop::lower_case(collective.description).find("embedding") != std::string::npos;
}

int context_among_data(const std::array<const ProfiledCollective*, traffic_kinds>& groups) {
  const ProfiledCollective* context = groups[static_cast<size_t>(Traffic::context)];
  const ProfiledCollective* data = groups[static_cast<size_t>(Traffic::data)];
  if (context == nullptr || data == nullptr || context->ranks.empty()) return 1;
  const auto all = interop::split(data->ranks, "[], ", false);
  const auto own = interop::split(context->ranks, "[], ", false);
  const bool are_among = std::ranges::all_of(
      own, [&](std::string_view rank) { return std::ranges::find(all, rank) != all.end(); });
  return are_among && all.size() % own.size() == 0 ? static_cast<int>(own.size()) : 1;
}

std::array<const ProfiledCollective*, traffic_kinds> main_groups(const RankProfile& profile,
                                                                 const DeviceWork& work) {
  std::vector<int> traffic(profile.collectives.size(), -1);
  std::vector<double> bytes(profile.collectives.size());
  for (const DeviceOp& op : work.ops) {
    if (!op.communicates || op.collective < 0) continue;
    const auto place = static_cast<size_t>(op.collective);
    if (joins_stages(profile.collectives[place])) continue;
    traffic[place] = static_cast<int>(op.traffic);
    bytes[place] += static_cast<double>(profile.collectives[place].bytes);
  }
  std::array<double, traffic_kinds> all{};
  std::map<std::pair<int, std::string>, GroupMoved> groups;
  for (size_t i = 0; i < traffic.size(); ++i) {
    if (traffic[i] < 0) continue;
    const ProfiledCollective& one = profile.collectives[i];
    all[static_cast<size_t>(traffic[i])] += bytes[i];
    GroupMoved& group =
        groups[{traffic[i], one.ranks.empty() ? std::to_string(one.size) : one.ranks}];
    group.bytes += bytes[i];
    group.one = &one;
  }
  std::array<GroupMoved, traffic_kinds> largest{};
  for (const auto& [key, group] : groups) {
    const auto kind = static_cast<size_t>(key.first);
    if (group.bytes < worth_mentioning * all[kind]) continue;
    if (largest[kind].one == nullptr || is_before(group, largest[kind])) largest[kind] = group;
  }
  std::array<const ProfiledCollective*, traffic_kinds> found{};
  for (size_t kind = 0; kind < traffic_kinds; ++kind) found[kind] = largest[kind].one;
  return found;
}

}  // namespace pipewright::diagnose
