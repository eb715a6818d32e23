#include "plan/coordinates.hpp"

#include <algorithm>

namespace pipewright {

std::vector<GridCoordinates> grid_coordinates(const Grid& grid) {
  const std::vector<int32_t> devices = grid.devices();
  std::vector<GridCoordinates> coordinates(static_cast<size_t>(*std::ranges::max_element(devices)) +
                                           1);
  for (int rank = 0; rank < grid.pipeline(); ++rank)
    for (int replica = 0; replica < grid.mesh(rank).replicas(); ++replica)
      for (int t = 0; t < grid.mesh(rank).tensor; ++t)
        coordinates[static_cast<size_t>(grid.device(rank, t, replica))] = {rank, t, replica};
  return coordinates;
}

}  // namespace pipewright
