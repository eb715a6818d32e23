#include "plan/stage_placement.hpp"

#include <algorithm>

namespace pipewright {

StagePlacement::StagePlacement(const schedule::Schedule& schedule)
    : ranks_(schedule.ranks()), ranks_of_(static_cast<size_t>(schedule.stages)) {
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    for (const schedule::Action& a : schedule.order[rank]) {
      std::vector<int>& ranks = ranks_of_[static_cast<size_t>(a.stage)];
      if (ranks.empty() || ranks.back() != rank) ranks.push_back(rank);
    }
  }
}

std::span<const int> StagePlacement::scheduled(int stage) const {
  const auto place = static_cast<size_t>(stage);
  return place < ranks_of_.size() ? ranks_of_[place] : std::span<const int>();
}

int StagePlacement::rank_of(int stage) const {
  const std::span<const int> ranks = scheduled(stage);
  return ranks.empty() ? stage % ranks_ : ranks.front();
}

std::vector<int> StagePlacement::ranks_of(int stage) const {
  const std::span<const int> ranks = scheduled(stage);
  if (ranks.empty()) return {rank_of(stage)};
  return {ranks.begin(), ranks.end()};
}

bool StagePlacement::holds(int rank, int stage) const {
  const std::span<const int> ranks = scheduled(stage);
  return ranks.empty() ? rank_of(stage) == rank : std::ranges::find(ranks, rank) != ranks.end();
}

}  // namespace pipewright
