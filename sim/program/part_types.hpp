// The op types of what parts of a stage exchange beside their passes: weights that are cut over
// replicas, and what the host keeps.
#pragma once

#include <vector>

#include "program/lower.hpp"
#include "program/type_adder.hpp"

namespace pipewright {

/// The copies of one part of a stage of which something is on the host; `none` where nothing is.
struct OffloadTypes {
  uint32_t weights = none;                  ///< to the device
  uint32_t leave = none, come_back = none;  ///< activations
};

/// The collectives of one part of a stage whose weights or gradients are cut over replicas.
struct ShardTypes {
  struct OverAxis {
    uint32_t type;
    Axis axis;
  };
  std::vector<OverAxis> gathers, scatters;
  std::vector<OverAxis> near_gathers;  ///< of backward passes, where those are others
  uint32_t sum = none;                 ///< over the copies of the weights
};

std::vector<ShardTypes> add_shards(TypeAdder& adder, const LoweringInput& input, int stage);
std::vector<OffloadTypes> add_offloads(TypeAdder& adder, const OffloadedState::Stage& parts,
                                       int stage);

}  // namespace pipewright
