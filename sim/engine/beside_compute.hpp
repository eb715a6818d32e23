// The collectives beside which ranks may compute: a property of the program, whatever its ops take.
#pragma once

#include <vector>

#include "program/program.hpp"

namespace pipewright {

/// A collective that may run while its rank computes: from after one position of the rank's compute
/// lane to before another.
struct BesideCompute {
  OpId collective;
  uint32_t after, before;  ///< `after` is `none` where that is the beginning of the lane
};

struct RankBesideCompute {
  LaneId lane = none;                      ///< in which the rank computes
  std::vector<BesideCompute> collectives;  ///< those between whose ends other ops stand
};

/// Returns them by rank.
std::vector<RankBesideCompute> beside_compute(const Program& program);

}  // namespace pipewright
