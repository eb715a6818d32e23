#include "interop/nccl_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace pipewright::interop {
namespace {

constexpr int64_t most_group_ranks = 1 << 20;
/// A message goes to a neighbour or two.
constexpr int most_neighbours = 2;

}  // namespace

void NcclGroups::add(int64_t process, const NcclPayload& made) {
  if (made.communicator == 0 || made.ranks < 1 || made.ranks > most_group_ranks) return;
  if (made.place < 0 || made.place >= made.ranks) return;
  Group& group = groups_[made.communicator];
  group.ranks = static_cast<int>(made.ranks);
  group.process[static_cast<int>(made.place)] = process;
}

void NcclGroups::number(std::map<int64_t, int> known, const std::vector<int64_t>& processes) {
  numbers_ = std::move(known);
  const Group* all = largest();
  if (!numbers_.empty() || all == nullptr || all->process.size() < 2) return;
  std::map<int64_t, int> places;
  for (const auto& [place, process] : all->process) places[process] = place;
  const bool has_all =
      std::ranges::all_of(processes, [&](int64_t process) { return places.contains(process); });
  if (has_all && places.size() == all->process.size()) numbers_ = std::move(places);
}

int NcclGroups::rank_of(int64_t process) const {
  const auto found = numbers_.find(process);
  return found == numbers_.end() ? -1 : found->second;
}

int NcclGroups::world() const {
  const Group* all = largest();
  return all == nullptr ? -1 : all->ranks;
}

const NcclGroups::Group* NcclGroups::largest() const {
  const auto most =
      std::ranges::max_element(groups_, {}, [](const auto& one) { return one.second.ranks; });
  return most == groups_.end() ? nullptr : &most->second;
}

std::string NcclGroups::ranks_of(const Group& group) const {
  std::vector<int> ranks;
  for (const auto& [place, process] : group.process) ranks.push_back(rank_of(process));
  const bool known = ranks.size() == static_cast<size_t>(group.ranks) &&
                     std::ranges::none_of(ranks, [](int rank) { return rank < 0; });
  return known ? fmt::format("[{}]", fmt::join(ranks, ", ")) : std::string();
}

/// Of an exchange of all with all NCCL sees sends: to each of the ranks, or to more than messages
/// of a pipeline have neighbours.
ProfiledCollective NcclGroups::collective_of(const NcclLaunch& launch) const {
  ProfiledCollective one{.name = launch.name, .bytes = launch.bytes};
  const auto found = groups_.find(launch.communicator);
  if (found != groups_.end()) {
    one.size = found->second.ranks;
    one.ranks = ranks_of(found->second);
  }
  if (launch.communicator != 0) one.group = fmt::format("{:#x}", launch.communicator);
  const bool to_all = launch.sends > most_neighbours || (one.size > 1 && launch.sends >= one.size);
  if (to_all && (launch.name == "Send" || launch.name == "Recv")) one.name = "AllToAll";
  return one;
}

}  // namespace pipewright::interop
