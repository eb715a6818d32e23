#include "calibrate/collectives/plan.hpp"

#include <algorithm>

namespace pipewright::calibration {
namespace {

/// 2, 4, 8, ... below `all`, and `all` itself; nothing for less than two.
std::vector<size_t> doublings(size_t all) {
  std::vector<size_t> counts;
  for (size_t count = 2; count < all; count *= 2) counts.push_back(count);
  if (all >= 2) counts.push_back(all);
  return counts;
}

/// Ranks by host, in the order in which hosts come first.
std::vector<std::vector<int>> by_host(const std::vector<std::string>& hosts) {
  std::vector<std::string> names;
  std::vector<std::vector<int>> ranks;
  for (size_t rank = 0; rank < hosts.size(); ++rank) {
    const auto found = std::find(names.begin(), names.end(), hosts[rank]);
    const auto host = static_cast<size_t>(found - names.begin());
    if (found == names.end()) {
      names.push_back(hosts[rank]);
      ranks.emplace_back();
    }
    ranks[host].push_back(static_cast<int>(rank));
  }
  return ranks;
}

}  // namespace

std::vector<RankGroup> groups_of(const std::vector<std::string>& hosts) {
  const std::vector<std::vector<int>> ranks = by_host(hosts);
  std::vector<RankGroup> groups;
  for (const size_t count : doublings(ranks.front().size()))
    groups.push_back({{ranks.front().begin(), ranks.front().begin() + static_cast<long>(count)}});
  for (const size_t count : doublings(ranks.size())) {
    RankGroup whole{.hosts = static_cast<int>(count)}, rail = whole;
    for (size_t host = 0; host < count; ++host) {
      whole.members.insert(whole.members.end(), ranks[host].begin(), ranks[host].end());
      rail.members.push_back(ranks[host].front());
    }
    if (whole.members.size() > rail.members.size()) groups.push_back(std::move(whole));
    groups.push_back(std::move(rail));
  }
  return groups;
}

std::vector<int64_t> sizes_of(int64_t least, int64_t most, int factor) {
  std::vector<int64_t> sizes;
  for (int64_t size = least; size < most; size *= factor) {
    sizes.push_back(size);
    if (size > most / factor) break;
  }
  sizes.push_back(most);
  return sizes;
}

}  // namespace pipewright::calibration
