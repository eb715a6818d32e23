#include "diagnose/rank_places.hpp"

#include <algorithm>

namespace pipewright::diagnose {
namespace {

bool follow_one_another(const std::vector<RankSigns>& ranks) {
  const auto second = ranks.begin() + static_cast<std::ptrdiff_t>(ranks.size() / 2);
  const auto first_end = std::ranges::min_element(ranks.begin(), second, {}, &RankSigns::end);
  return std::all_of(second, ranks.end(),
                     [&](const RankSigns& rank) { return rank.begin >= first_end->end; });
}

/// How many stages there are if the first and the last ranks, and only these, have few messages;
/// else 1.
size_t stages_of(const std::vector<RankSigns>& ranks) {
  const auto [least, most] = std::ranges::minmax_element(ranks, {}, &RankSigns::messages);
  if (ranks.size() < 2 || least->messages == 0) return 1;
  // An end has half as many as a rank between: three quarters part them.
  const auto is_end = [&](const RankSigns& one) { return 4 * one.messages < 3 * most->messages; };
  const auto ends = static_cast<size_t>(std::ranges::count_if(ranks, is_end));
  if (ends == 0) return ranks.size() % 2 == 0 && follow_one_another(ranks) ? 2 : 1;
  if (ends % 2 != 0 || 2 * ranks.size() % ends != 0) return 1;
  const size_t stage = ends / 2;
  for (size_t i = 0; i < ranks.size(); ++i)
    if (is_end(ranks[i]) != (i < stage || i >= ranks.size() - stage)) return 1;
  return ranks.size() / stage;
}

}  // namespace

std::vector<GridPlace> places_by_messages(const std::vector<RankSigns>& ranks) {
  const size_t in_stage = ranks.size() / stages_of(ranks);
  std::vector<GridPlace> places;
  for (size_t i = 0; i < ranks.size(); ++i)
    places.push_back(
        {.data = static_cast<int>(i % in_stage), .stage = static_cast<int>(i / in_stage)});
  return places;
}

}  // namespace pipewright::diagnose
