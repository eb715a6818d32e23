#include "plan/places.hpp"

#include <algorithm>

namespace pipewright {

std::vector<Place> places_of(const Grid& grid) {
  const std::vector<int32_t> devices = grid.devices();
  std::vector<Place> places(static_cast<size_t>(*std::ranges::max_element(devices)) + 1);
  for (int rank = 0; rank < grid.pipeline(); ++rank)
    for (int replica = 0; replica < grid.mesh(rank).replicas(); ++replica)
      for (int t = 0; t < grid.mesh(rank).tensor; ++t)
        places[static_cast<size_t>(grid.device(rank, t, replica))] = {rank, t, replica};
  return places;
}

}  // namespace pipewright
