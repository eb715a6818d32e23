// NCCL's own beliefs about a machine, by which it chooses algorithm, protocol and channels: the
// constants of its src/graph/tuning.cc, as data in topologies/nccl. Not what the machine does.
#pragma once

#include <array>
#include <vector>

#include "config/value.hpp"

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
  double nvls_s = 0, nvls_tree_s = 0;
};

struct NcclTuning {
  std::string name;
  double ring_bandwidth = 0;  ///< bytes/s that its search settles for on a switch, all channels
  int channels = 0;
  PerProtocol ring_base_s{}, tree_base_s{};
  NcclHops nvlink, pcie, network;
  double efa_s = 0;  ///< what a hop over EFA takes beside `network`, as its plug-in tells NCCL
  PerScale ll_most{}, ll128_channel_most{}, tree_channel_most{}, tree_ll128_channel_most{};
  double nvls_efficiency = 0;       ///< 0: this generation's switch does not reduce
  std::vector<double> nvls_speeds;  ///< bytes/s of a member that its search tries, fastest first
  std::array<std::vector<double>, nccl_protocols> tree_correction;  ///< by log2(bytes / 64)
  PerProtocol threads{}, thread_bytes{};  ///< of a channel; bytes below which it is not worth one
};

/// `value` names an entry of the kind 'nccl' or is a map. Throws InputError.
NcclTuning read_nccl_tuning(const config::Value& value, const config::Catalogue& catalogue);

}  // namespace pipewright
