#include "machine/what_if.hpp"

#include "topology/device.hpp"

namespace pipewright {

Device changed(const WhatIf& what_if, Device device) {
  for (std::optional<FlopRate>& peak : device.peak)
    if (peak) peak->flops_per_s *= what_if.flops;
  device.watts *= what_if.flops;  // the share of its peak that it sustains stays
  device.memory_bandwidth.bytes_per_s *= what_if.memory_bandwidth;
  return device;
}

Topology changed(const WhatIf& what_if, const Topology& topology) {
  if (!what_if.links) return topology;
  Wiring wiring{{topology.vertices().begin(), topology.vertices().end()},
                {topology.links().begin(), topology.links().end()},
                {}};
  for (int device = 0; device < topology.devices(); ++device)
    wiring.devices.push_back(topology.vertex(device));
  for (Link& link : wiring.links) {
    if (link.kind != *what_if.links) continue;
    link.bandwidth.bytes_per_s *= what_if.bandwidth;
    link.latency = seconds(in_seconds(link.latency) * what_if.latency);
  }
  return Topology(std::move(wiring));
}

}  // namespace pipewright
