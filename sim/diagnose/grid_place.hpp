// Where a rank stands in the grid of its job.
#pragma once

#include "diagnose/device_work.hpp"

namespace pipewright::diagnose {

/// Where a rank stands, by the groups that its collectives name; 0 in what it has no group of.
/// Context ranks that sum gradients with data ranks count as tensor ranks.
struct GridPlace {
  int data = 0, stage = 0, tensor = 0;
};

GridPlace place_of(const RankProfile& profile, const DeviceWork& work);

}  // namespace pipewright::diagnose
