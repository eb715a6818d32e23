#include "machine/machine_factors.hpp"

#include "topology/device.hpp"

namespace pipewright {

Device changed(const MachineFactors& machine_factors, Device device) {
  for (std::optional<FlopRate>& peak : device.peak)
    if (peak) peak->flops_per_s *= machine_factors.flops;
  device.operating.watts *= machine_factors.flops;  // the share of its peak that it sustains stays
  device.memory_bandwidth.bytes_per_s *= machine_factors.memory_bandwidth;
  return device;
}

Topology changed(const MachineFactors& machine_factors, const Topology& topology) {
  if (!machine_factors.links) return topology;
  Wiring wiring{{topology.vertices().begin(), topology.vertices().end()},
                {topology.links().begin(), topology.links().end()},
                {}};
  for (int device = 0; device < topology.devices(); ++device)
    wiring.devices.push_back(topology.vertex(device));
  for (Link& link : wiring.links) {
    if (link.kind != *machine_factors.links) continue;
    link.bandwidth.bytes_per_s *= machine_factors.bandwidth;
    link.latency = seconds(in_seconds(link.latency) * machine_factors.latency);
  }
  return Topology(std::move(wiring));
}

}  // namespace pipewright
