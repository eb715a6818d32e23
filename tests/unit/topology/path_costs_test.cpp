#include "topology/path_costs.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

/// So many places, each with one of `different` costs.
std::vector<RouteCost> costs_of(size_t places, int64_t different) {
  std::vector<RouteCost> costs;
  for (size_t place = 0; place < places; ++place)
    costs.push_back({static_cast<int64_t>(place) % different, 1});
  costs.push_back(unreachable);
  return costs;
}

TEST(PathCosts, are_what_was_given_however_many_differ) {
  for (const int64_t different : {1, 3, 254, 255, 256, 257, 1000}) {
    const std::vector<RouteCost> given = costs_of(2000, different);
    const PathCosts held(given);
    for (size_t place = 0; place < given.size(); ++place)
      ASSERT_EQ(held[place], given[place]) << place << " of " << different;
  }
}

}  // namespace
}  // namespace pipewright
