// A machine that is better or worse than its cluster says in one respect.
#pragma once

#include <optional>

#include "topology/topology.hpp"

namespace pipewright {

/// Factors on what the data sheets say.
struct MachineFactors {
  double flops = 1, memory_bandwidth = 1, memory = 1;
  std::optional<LinkKind> links;  ///< that the next two are of
  double bandwidth = 1, latency = 1;

  bool changes_devices() const { return flops != 1 || memory_bandwidth != 1; }
};

struct Device;
Device changed(const MachineFactors& machine_factors, Device device);
Topology changed(const MachineFactors& machine_factors, const Topology& topology);

}  // namespace pipewright
