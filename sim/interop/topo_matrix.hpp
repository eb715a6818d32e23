// Reads the matrix that `nvidia-smi topo -m` prints, with whatever stands before and after it.
//
//           GPU0  GPU1  NIC0  CPU Affinity  NUMA Affinity  GPU NUMA ID
//     GPU0   X    NV12  PXB   48-63         3              N/A
//     GPU1  NV12   X    PXB   48-63         3              N/A
//     NIC0  PXB   PXB    X
//
//     NIC Legend:
//       NIC0: mlx5_0
//
// Older drivers name the NICs in the header, have fewer columns of affinity, and say SOC for SYS.
// The header is underlined by escape sequences. Source: the legend that the tool prints; outputs in
// NVIDIA/nccl's issues 933, 1505 and 2157 and NVIDIA/nccl-tests' issue 78.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pipewright::interop {

/// How two things of a machine reach each other, nearest first.
enum class PathKind : uint8_t {
  self,
  nvlink,
  pix,   ///< over one PCIe switch at most
  pxb,   ///< over several
  phb,   ///< over a host bridge
  node,  ///< between host bridges of a NUMA node
  sys,   ///< between NUMA nodes
};

struct TopoPath {
  PathKind kind = PathKind::self;
  int links = 0;  ///< of NVLink
  bool operator==(const TopoPath&) const = default;
};

/// A GPU or a NIC.
struct TopoThing {
  std::string label;  ///< as the header has it: "GPU0", "NIC0", "mlx5_0"
  std::string name;   ///< as the legend has it, else the label
  bool gpu = false;
  bool own_numa = false;   ///< its memory is a NUMA node, as Grace has it: NICs are SYS away
  std::string cpus, numa;  ///< affinities of a GPU; empty where the matrix says none
};

struct TopoMatrix {
  std::vector<TopoThing> things;             ///< in the order of the header
  std::vector<std::vector<TopoPath>> paths;  ///< symmetric
};

/// Whether a matrix begins in `text`.
bool has_topo_matrix(std::string_view text);

/// Reads the first matrix of `text`. Throws InputError, at its line and column in `file`.
TopoMatrix read_topo_matrix(std::string_view text, const std::string& file);

}  // namespace pipewright::interop
