#include "plan/stage_placement.hpp"

#include <algorithm>
#include <set>

namespace pipewright {

StagePlacement::StagePlacement(const schedule::Schedule& schedule) : ranks_(schedule.ranks()) {
  std::map<int, std::set<int>> ranks;
  for (int rank = 0; rank < schedule.ranks(); ++rank)
    for (const schedule::Action& a : schedule.order[rank]) ranks[a.stage].insert(rank);
  for (const auto& [stage, all] : ranks) ranks_of_[stage] = {all.begin(), all.end()};
}

int StagePlacement::rank_of(int stage) const {
  const auto known = ranks_of_.find(stage);
  return known == ranks_of_.end() ? stage % ranks_ : known->second.front();
}

std::vector<int> StagePlacement::ranks_of(int stage) const {
  const auto known = ranks_of_.find(stage);
  return known == ranks_of_.end() ? std::vector<int>{rank_of(stage)} : known->second;
}

bool StagePlacement::holds(int rank, int stage) const {
  const auto known = ranks_of_.find(stage);
  if (known == ranks_of_.end()) return rank_of(stage) == rank;
  return std::find(known->second.begin(), known->second.end(), rank) != known->second.end();
}

}  // namespace pipewright
