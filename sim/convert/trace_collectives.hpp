// Collectives as the messages of their members, for traces.
#pragma once

#include <map>
#include <vector>

#include "network/collectives/collective.hpp"
#include "program/program.hpp"

namespace pipewright {

/// The steps of one member, in the order of rounds; in a round it sends before it receives.
struct CollectiveStep {
  int32_t peer = 0;  ///< device
  Bytes bytes;
  bool sends = false;
  uint8_t stream = 0;  ///< a send waits for all that came before on its stream
};

class CollectiveSteps {
 public:
  CollectiveSteps(const Program& program, const Topology& topology)
      : program_(program), topology_(topology) {}

  /// Returns the steps of the collective `op` on one of its devices.
  const std::vector<CollectiveStep>& of(OpId op, int32_t device);

 private:
  using ByDevice = std::map<int32_t, std::vector<CollectiveStep>>;
  ByDevice expand(const OpType& type, const std::vector<int32_t>& devices) const;

  const Program& program_;
  const Topology& topology_;
  std::map<std::pair<uint32_t, uint32_t>, ByDevice> known_;  // by type and group
};

}  // namespace pipewright
