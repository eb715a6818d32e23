// The coordinates of a device in the grid.
#pragma once

#include "program/lower.hpp"

namespace pipewright {

struct GridCoordinates {
  int rank = 0, tensor = 0, replica = 0;
};

/// Returns the coordinates by device, up to the last device of the grid.
std::vector<GridCoordinates> grid_coordinates(const Grid& grid);

}  // namespace pipewright
