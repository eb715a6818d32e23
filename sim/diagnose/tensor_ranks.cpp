#include "diagnose/tensor_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {
namespace {

/// Ranks of one group vary by less.
constexpr double alike = 1.02;

using TensorGroups = std::map<std::pair<int, int>, std::vector<size_t>>;  // by data rank and stage

TensorGroups groups_of(const std::vector<TensorRank>& ranks) {
  TensorGroups groups;
  for (size_t i = 0; i < ranks.size(); ++i) groups[{ranks[i].data, ranks[i].stage}].push_back(i);
  for (auto& [place, members] : groups)
    std::ranges::sort(members, {}, [&](size_t i) { return ranks[i].tensor; });
  return groups;
}

size_t longest_of(const std::vector<TensorRank>& ranks, const std::vector<size_t>& members) {
  size_t longest = members.front();
  for (const size_t i : members)
    if (ranks[i].computing_s > alike * ranks[longest].computing_s) longest = i;
  size_t last = longest;
  for (const size_t i : members)
    if (alike * ranks[i].computing_s >= ranks[longest].computing_s &&
        ranks[i].passing_s < ranks[last].passing_s)
      last = i;
  return last;
}

/// Over the median of the other members; 1 where there are none.
double slowdown_of(const std::vector<TensorRank>& ranks, const std::vector<size_t>& members,
                   size_t rank, double TensorRank::*time_s) {
  std::vector<double> others;
  for (const size_t i : members)
    if (i != rank) others.push_back(ranks[i].*time_s);
  const double usual = others.empty() ? 0 : median_of(std::move(others));
  return usual > 0 ? ranks[rank].*time_s / usual : 1;
}

/// Whether its members are not told apart.
bool has_one(const std::vector<TensorRank>& ranks, const std::vector<size_t>& members) {
  return ranks[members.front()].tensor == ranks[members.back()].tensor;
}

/// "tensor rank 1", "context rank 1", "tensor rank 0, context rank 1"; `number` is of both.
std::string member_name(int number, int context, bool has_tensors) {
  if (context == 1) return fmt::format("tensor rank {}", number);
  const std::string of_context = fmt::format("context rank {}", number % context);
  if (!has_tensors) return of_context;
  return fmt::format("tensor rank {}, {}", number / context, of_context);
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

std::vector<SlowMember> slow_members(const std::vector<TensorRank>& ranks, int context) {
  const bool has_tensors = std::ranges::any_of(
      ranks, [context](const TensorRank& rank) { return rank.tensor >= context; });
  std::vector<SlowMember> slow;
  for (const auto& [place, members] : groups_of(ranks)) {
    const size_t longest = longest_of(ranks, members);
    const double slowdown = slowdown_of(ranks, members, longest, &TensorRank::computing_s);
    const double of_updates = slowdown_of(ranks, members, longest, &TensorRank::updating_s);
    if (slowdown > alike && !has_one(ranks, members))
      slow.push_back({place.first, place.second,
                      member_name(ranks[longest].tensor, context, has_tensors), slowdown,
                      std::max(of_updates, 1.0)});
  }
  return slow;
}

std::vector<std::string> notes_on_groups(const std::vector<TensorRank>& ranks, int context) {
  const TensorGroups groups = groups_of(ranks);
  if (std::ranges::all_of(groups, [&](const auto& one) { return has_one(ranks, one.second); }))
    return {};
  const bool first = std::ranges::all_of(
      groups, [&](const auto& one) { return longest_of(ranks, one.second) == one.second.front(); });
  const bool has_tensors = std::ranges::any_of(
      ranks, [context](const TensorRank& rank) { return rank.tensor >= context; });
  const char* kind = context == 1 ? "tensor" : has_tensors ? "tensor and context" : "context";
  const std::vector<SlowMember> slow = slow_members(ranks, context);
  std::vector<std::string> notes = {fmt::format("of each {} group the {} stands for all", kind,
                                                first          ? "first rank"
                                                : slow.empty() ? "rank that waits least"
                                                               : "rank that computes longest")};
  for (const SlowMember& one : slow)
    notes.push_back(
        fmt::format("of data rank {}, stage {} it is {} that is slow: it computes {:.2f} times as "
                    "long as the others of its group",
                    one.data, one.stage, one.name, one.slowdown));
  return notes;
}

}  // namespace pipewright::diagnose
