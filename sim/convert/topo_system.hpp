// What NCCL would have seen of a machine, from the matrix of `nvidia-smi topo -m`.
//
// A NUMA node is one cpu: whatever reaches each other without SYS, and GPUs with NVLink between
// them and the same affinity. Within it PXB and PIX make a switch and switches below it. NVLink
// hides the PCIe between two GPUs, which share a switch only where a NIC shows it. Where GPUs are
// NUMA nodes of their own, as beside a Grace, all is SYS: NICs go to the CPUs in order.
//
// NVLinks go to NVSwitches where the links to all peers are more than a GPU has; otherwise they
// join GPUs two by two. Links a GPU has: LinkType::lanes of nvlink1 ... nvlink5.
#pragma once

#include <vector>

#include "interop/nccl_topology.hpp"
#include "interop/topo_matrix.hpp"
#include "topology/link.hpp"

namespace pipewright {

/// What the matrix does not say.
struct TopoParts {
  double pcie = 0;         ///< bytes/s of each GPU's and NIC's link, one direction
  LinkType nvlink;         ///< all lanes of a GPU; unused where there is none
  double between = 0;      ///< bytes/s from one NUMA node to another; 0: 10 GB/s
  std::vector<bool> used;  ///< by thing: NICs that are for training
};

/// Whether two GPUs have NVLink.
bool has_nvlink(const interop::TopoMatrix& matrix);

/// Whether NVLinks go over NVSwitches, for GPUs of `lanes` links.
bool has_nvswitch(const interop::TopoMatrix& matrix, int lanes);

/// By thing: NICs with a GPU behind the same PCIe switch, or all where none has one.
std::vector<bool> near_nics(const interop::TopoMatrix& matrix);

nccl::System system_of_topo(const interop::TopoMatrix& matrix, const TopoParts& parts);

}  // namespace pipewright
