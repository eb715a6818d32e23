// Finds which ranks can stand for others.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "engine/price.hpp"
#include "program/lower.hpp"
#include "schedule/schedule.hpp"

namespace pipewright {

/// A pipeline rank that sends and one that receives.
using RankPair = std::pair<int, int>;
std::set<RankPair> pairs_that_send(const schedule::Schedule& schedule);

/// The ranks of a job that see the same times.
struct Symmetry {
  /// All tensor ranks of every replica do, so that one can stand for all.
  bool tensor = true;
  /// One for each class of replicas that do. Where collectives within a pass join replicas that are
  /// not alike, classes are those of blocks (replica_blocks.hpp), or all replicas where they are no
  /// table of blocks.
  std::vector<ReplicaClass> replicas;
};

/// All meshes have the same degrees.
Symmetry symmetry_of(const Grid& grid, const Prices& prices, const std::set<RankPair>& pairs);

/// Tells whether all ranks of every mesh see the same times, whatever the degrees. `pairs`: those
/// that send rank to rank.
bool meshes_alike(const Grid& grid, const Prices& prices, const std::set<RankPair>& pairs);

}  // namespace pipewright
