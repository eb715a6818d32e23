// The routes and the packets that are drawn.
#pragma once

#include <vector>

#include "base/mixed.hpp"
#include "network/packet/packet_network.hpp"

namespace pipewright {

/// The route that each flow's next packet takes. Those of a sprayed flow are drawn, by a hash of
/// how many times the flow stood in line.
class DrawnPacketRoutes {
 public:
  explicit DrawnPacketRoutes(const PacketOptions& options)
      : spray_(options.spray), seed_(options.seed) {}

  void expect_flows(size_t flows) { lines_.resize(flows); }
  uint32_t route(uint32_t flow) const { return lines_[flow].route; }
  uint32_t draw(uint32_t flow, size_t routes) {
    if (!spray_ || routes == 1) return lines_[flow].route = 0;
    const uint64_t stream = mixed(mixed(seed_) ^ flow);
    return lines_[flow].route =
               static_cast<uint32_t>(mixed(stream + ++lines_[flow].times) % routes);
  }

 private:
  struct Line {
    uint32_t route = 0, times = 0;
  };
  bool spray_;
  uint64_t seed_;
  std::vector<Line> lines_;  // by flow
};

}  // namespace pipewright
