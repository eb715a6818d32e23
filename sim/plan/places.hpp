// Where a device is in the grid.
#pragma once

#include "program/lower.hpp"

namespace pipewright {

struct Place {
  int rank = 0, tensor = 0, replica = 0;
};

/// By device, up to the last of the grid.
std::vector<Place> places_of(const Grid& grid);

}  // namespace pipewright
