// NCCL's own beliefs about a machine, by which it chooses algorithm, protocol and channels: the
// constants of its src/graph/tuning.cc, as data in topologies/nccl. Not what the machine does.
#pragma once

#include <array>
#include <vector>

#include "config/value.hpp"
#include "topology/link.hpp"

namespace pipewright {

namespace config {
class Catalogue;
}

/// Low latency (a flag for each 4 bytes), the same by 128-byte lines, plain copies with a flag.
enum class NcclProtocol : uint8_t { ll, ll128, simple };
inline constexpr size_t nccl_protocols = 3;
std::string_view name(NcclProtocol protocol);

using PerProtocol = std::array<double, nccl_protocols>;
/// One node, two, more.
using PerScale = std::array<double, 3>;

struct NcclHops {
  PerProtocol ring{}, tree{};  ///< seconds
  double nvls_s = 0, nvls_tree_s = 0, collnet_direct_s = 0, collnet_chain_s = 0;
};

/// How NCCL fares between nodes on one kind of fabric.
struct NcclFabric {
  PerProtocol share = {0.48, 0.88, 0.96};  ///< of the NICs' bandwidth; 0: not used
  /// Seconds of a hop beside `network`, once for a flag and twice for Simple, which flushes: what
  /// the fabric's plug-in tells NCCL, and what a hop takes. Without a plug-in the topology says it.
  double told_s = 0, hop_s = 0;
  /// By how much longer a hop takes whose message has more than `eager` bytes, which its receiver
  /// has to ask for.
  double rendezvous_s = 0, eager_bytes = 0;
  /// What a hop takes with the plug-ins of releases of NCCL before `older_before`.
  double older_hop_s = 0;
  int older_before = 0;
  bool plug_in = false;
  /// Deviation of the logarithm of the time that bytes take between two nodes.
  double spread = 0;
};

/// Bytes/s that it expects at most: of all channels, or of one.
struct NcclMost {
  PerScale ll{}, ll128_channel{}, tree_channel{}, tree_ll128_channel{};
};

/// A switch that reduces.
struct NcclSwitch {
  PerScale tree_channel_most{};  ///< 0: this generation has none
  double efficiency = 0;         ///< 0: this generation's switch does not reduce
  std::vector<double> speeds;    ///< bytes/s of a member that its search tries, fastest first
};

struct NcclTuning {
  std::string name;
  double ring_bandwidth = 0;  ///< bytes/s that its search settles for on a switch, all channels
  int channels = 0;
  PerProtocol ring_base_s{}, tree_base_s{};
  NcclHops nvlink, pcie, network;
  double post_s = 0;  ///< in which a proxy sends one message of a peer and receives one
  std::array<NcclFabric, link_kind_count> fabrics;  ///< by LinkKind
  NcclMost most;
  NcclSwitch nvls;
  std::array<std::vector<double>, nccl_protocols> tree_correction;  ///< by log2(bytes / 64)
  PerProtocol threads{}, thread_bytes{};  ///< of a channel; bytes below which it is not worth one
};

inline const NcclFabric& fabric_of(const NcclTuning& tuning, LinkKind kind) {
  return tuning.fabrics[static_cast<size_t>(kind)];
}

/// `value` names an entry of the kind 'nccl' or is a map. Throws InputError.
NcclTuning read_nccl_tuning(const config::Value& value, const config::Catalogue& catalogue);

}  // namespace pipewright
