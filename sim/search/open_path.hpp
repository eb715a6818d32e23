// The shortest open path through all of some points: a travelling salesman who does not return.
#pragma once

#include <cstdint>
#include <vector>

namespace pipewright::search {

struct OpenPath {
  int64_t length = 0;
  std::vector<int> order;
};

/// Returns a short path through points 0 to `points` - 1, between two of which it is
/// `distance[from * points + to]`, as far in one direction as in the other. Up to nine points it is
/// the shortest one. Of points that are all equally far apart it is their own order. Distances are
/// whole numbers, so that paths which are equally long are equal.
OpenPath shortest_path(const std::vector<int64_t>& distance, int points);

/// Returns the length of the least tree that joins all points: no path is shorter.
int64_t least_tree(const std::vector<int64_t>& distance, int points);

}  // namespace pipewright::search
