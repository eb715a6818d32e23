// Reads what NCCL saw of a node: the XML that NCCL_TOPO_DUMP_FILE names, as plain values.
//
//   system version="1"
//     cpu numaid vendor modelid               a socket or a part of one
//       pci busid class link_speed link_width a switch (class 0x0604..) or what hangs on one
//         gpu dev sm                          a device
//           nvlink target count tclass        to a GPU (0x0302..), NVSwitch (0x0680..) or CPU
//         nic                                 one card
//           net name dev speed latency        one port of it, speed in Mb/s
//
// Source: NVIDIA/nccl, src/graph/xml.cc and topo.cc (names, what is required, and that version 1 is
// the only one; RCCL writes 2 in the same form); dumps in its issues 1505 and 1182.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pipewright::nccl {

struct NvLink {
  std::string target;  ///< bus id
  int count = 0;
  enum class To { gpu, nvswitch, cpu } to = To::nvswitch;
  size_t plane = 0;  ///< of NVSwitches, where a node has several that nothing joins
};

struct Gpu {
  int dev = 0, sm = 0;
  std::vector<NvLink> links;
  double lane = 0;  ///< bytes/s of one NVLink; 0: as `sm` has it
};

/// One port of a card. `speed` in Mb/s, latency in microseconds.
struct Net {
  std::string name;
  int dev = 0;
  double speed = 0, latency = 0;
};

/// A card, a switch, or what is in neither.
struct Pci {
  std::string busid, device;  ///< `device`: "0x2330"
  bool infiniband = false;    ///< by class
  double bandwidth = 0;       ///< of its link upwards, bytes/s; 0 where it is not known
  std::optional<Gpu> gpu;
  std::vector<Net> nets;
  std::vector<Pci> below;
};

struct Cpu {
  int numa = 0, model = 0;
  std::string vendor;
  double bandwidth = 0;  ///< to another one, bytes/s; 0: as its vendor has it
  std::vector<Pci> below;
  std::vector<Net> nets;  ///< on no card
};

struct System {
  std::vector<Cpu> cpus;
};

/// Throws InputError, at `file`, for what is no such XML, of another version, or without GPUs.
System read_topology(const std::string& xml, const std::string& file);

}  // namespace pipewright::nccl
