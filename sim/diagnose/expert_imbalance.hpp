// What ranks wait for experts that have more tokens than others.
//
// The ranks of an expert group meet in every exchange of tokens. One that brings tokens back
// begins, on each rank, when its own experts are done, and ends for all together: how much longer
// it takes than on the last rank is how long the rank has waited. Were the experts alike, all would
// be done at the mean of these times. Where all ranks send back equally many bytes, their experts
// are alike: what they wait for is a slow device.
#pragma once

#include <string>
#include <vector>

#include "diagnose/candidates.hpp"
#include "diagnose/rank_operations.hpp"

namespace pipewright::diagnose {

/// One rank of an expert group.
struct ExpertRank {
  std::string group;  ///< who takes part, as its collectives name them
  int stage = 0;
  RankOperations* work = nullptr;
};

/// Sets the `imbalance` of every pass. Ranks whose exchanges are not those of their group, in
/// number and ways, are left alone.
void find_imbalance(const std::vector<ExpertRank>& ranks);

/// The cure takes from every pass its `imbalance`; none where there is none.
std::vector<Candidate> unbalanced_experts(const Evidence& evidence);

}  // namespace pipewright::diagnose
