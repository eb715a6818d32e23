// A node of the catalogue's form from what NCCL saw of a machine.
//
// GPUs are the devices, in the order of dev. NVLinks to NVSwitches are one link to one switch that
// does not block (one a plane), with the bandwidth of all lanes; those between GPUs are drawn one
// by one. PCIe switches with one thing below them are left out. Sockets are joined two by two. NICs
// are the cards with the fastest ports, InfiniBand before others; slower ones are for storage or
// control.
//
//   a lane of NVLink   20 GB/s each way with sm 6x, 25 with 7x, 8x and 9x, 50 with 10x; 0.6 us from
//                      device to device (nvlink1 ... nvlink5 of the catalogue)
//   a link of PCIe     what its speed and width carry; 0.5 us (pcie3 ... pcie6)
//   between sockets    NCCL's figures: AMD 16 GB/s, Intel 10 and from Sapphire Rapids on 22, ARM 6,
//                      POWER9 32 (src/graph/topo.h)
#pragma once

#include "config/value.hpp"
#include "interop/nccl_topology.hpp"

namespace pipewright {

struct NcclNodeNames {
  std::string file;                        ///< for errors and the description
  std::string name;                        ///< empty: none
  std::string device;                      ///< of the catalogue; empty: by the GPU's number
  std::string source = "NCCL's topology";  ///< for the description
  std::string nic_link;                    ///< of the catalogue; empty: by the speed of the NICs
};

/// Throws InputError for GPUs of several kinds, of an unknown kind where no device is named, and
/// for links that end nowhere.
config::Value node_of_nccl(const nccl::System& system, const NcclNodeNames& names);

}  // namespace pipewright
