// The ways of a program over the links of its topology, before it is known which links are alike.
#pragma once

#include <memory>

#include "engine/contention.hpp"

namespace pipewright {

using SharesOfAll = std::vector<std::vector<LinkShare>>;

struct LaidWay {
  double bytes = 0, bandwidth = 0;
  std::shared_ptr<const SharesOfAll> shares;  ///< by what it stands for, itself included
  LaneId lane = none;                         ///< that keeps its ops from overlapping
  uint32_t ops = 0;
  bool computes = false;  ///< on the processors of a device
  uint32_t channel = none;
};

struct LaidWays {
  std::vector<LaidWay> ways;
  std::vector<uint32_t> way_of;  ///< by op
  uint32_t channels = 0;
};

/// Empty where the mirror is.
std::optional<LaidWays> lay_ways(const Program& program, const Topology& topology,
                                 const Prices& prices, const Mirror& mirror);

}  // namespace pipewright
