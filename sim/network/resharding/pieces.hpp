// The pieces of a resharding: what has to go from whom to whom.
#pragma once

#include "network/resharding/sharding.hpp"

namespace pipewright::resharding {

/// A part of the tensor that some devices of the source hold alike and some of the destination want
/// alike. Devices count within their mesh.
struct Piece {
  double share = 0;  ///< of the whole tensor
  std::vector<int> holders, takers;
};

/// Every overlap of a tile of the source with one of the destination; shares sum to one.
std::vector<Piece> pieces_of(const Change& change);

}  // namespace pipewright::resharding
