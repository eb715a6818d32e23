#include "diagnose/tensor_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {
namespace {

/// Ranks of one group vary by less.
constexpr double alike = 1.02;

using Groups = std::map<std::pair<int, int>, std::vector<size_t>>;  // by data rank and stage

Groups groups_of(const std::vector<TensorRank>& ranks) {
  Groups groups;
  for (size_t i = 0; i < ranks.size(); ++i) groups[{ranks[i].data, ranks[i].stage}].push_back(i);
  for (auto& [place, members] : groups)
    std::ranges::sort(members, {}, [&](size_t i) { return ranks[i].tensor; });
  return groups;
}

size_t longest_of(const std::vector<TensorRank>& ranks, const std::vector<size_t>& members) {
  size_t longest = members.front();
  for (const size_t i : members)
    if (ranks[i].computing_s > alike * ranks[longest].computing_s) longest = i;
  return longest;
}

/// Over the median of the other members; 1 where there are none.
double slowdown_of(const std::vector<TensorRank>& ranks, const std::vector<size_t>& members,
                   size_t rank) {
  std::vector<double> others;
  for (const size_t i : members)
    if (i != rank) others.push_back(ranks[i].computing_s);
  const double usual = others.empty() ? 0 : median_of(std::move(others));
  return usual > 0 ? ranks[rank].computing_s / usual : 1;
}

}  // namespace

std::vector<bool> stand_for_groups(const std::vector<TensorRank>& ranks) {
  std::vector<bool> stands(ranks.size());
  for (const auto& [place, members] : groups_of(ranks)) {
    const int tensor = ranks[longest_of(ranks, members)].tensor;
    for (const size_t i : members) stands[i] = ranks[i].tensor == tensor;
  }
  return stands;
}

std::vector<std::string> notes_on_groups(const std::vector<TensorRank>& ranks) {
  const Groups groups = groups_of(ranks);
  const auto has_one = [&](const auto& group) {
    return ranks[group.second.front()].tensor == ranks[group.second.back()].tensor;
  };
  if (std::ranges::all_of(groups, has_one)) return {};
  std::vector<std::string> notes;
  bool first = true;
  for (const auto& [place, members] : groups) {
    const size_t longest = longest_of(ranks, members);
    const double slowdown = slowdown_of(ranks, members, longest);
    first = first && longest == members.front();
    if (slowdown > alike && !has_one(std::pair(place, members)))
      notes.push_back(
          fmt::format("of data rank {}, stage {} it is tensor rank {} that is slow: it computes "
                      "{:.2f} times as long as the others of its group",
                      place.first, place.second, ranks[longest].tensor, slowdown));
  }
  notes.insert(notes.begin(), fmt::format("of each tensor group the {} stands for all",
                                          first ? "first rank" : "rank that computes longest"));
  return notes;
}

}  // namespace pipewright::diagnose
