// Collectives in switches between nodes, as NCCL believes them to be.
//
//   nvls            the switch of each node adds up, then those between nodes
//                   latency = 25 us + network hop
//                   bandwidth = min(nvls, the NICs') * n / steps
//   collnet direct  each GPU of a node adds up its part and sends it; on an NVSwitch, up to 8 GPUs
//                   latency = 2 (hop + 0.4 us (g - 1)) + network hop
//                   bandwidth = as of a chain, 0.85 of that from Hopper on
//   collnet chain   the GPUs of a node add up one after the other; the last sends
//                   latency = 2 (g - 1) hop + network hop
//                   bandwidth = min(the ring's in a node, the NICs' twice) / 2, as for direct
//
//   n ranks, g of each node; steps of a ring
//
// They serve all-reduces of elements above one byte. What is added up in switches leaves each node
// once and comes back once. So the bus bandwidth that nccl-tests prints may reach that of the NICs
// 2 (n - 1) / n times. Source: NVIDIA/nccl 2.28, src/graph/tuning.cc, src/graph/search.cc and
// src/enqueue.cc; Graham et al., "Scalable Hierarchical Aggregation Protocol (SHArP)", COMHPC 2016.
//
// Not modelled: how many jobs and groups a switch has room for, all-gathers and reduce-scatters by
// switches, and what reduced bytes reach below Simple's share of the NICs.
#include "network/nccl/in_network.hpp"

#include <algorithm>

#include "network/nccl/operations.hpp"

namespace pipewright {
namespace {

/// GPUs of a node that may all be joined directly (NCCL_MAX_DIRECT_ARITY and the GPU itself).
constexpr int most_direct = 8;
/// By which each further GPU of a node delays the others.
constexpr double arity_s = 0.4e-6;

int members(const NcclRequest& r) { return r.ranks / r.nodes; }

bool switch_of_node_reduces(const NcclTuning& tuning, const NcclRequest& r) {
  return tuning.nvls.efficiency > 0 && r.on_switch && members(r) > 2 &&
         switch_bandwidth(tuning, members(r), links_in_node(tuning, r)) > 0;
}

Line nvls_line(const NcclTuning& tuning, const NcclRequest& r, Hop hop) {
  const double inside = switch_bandwidth(tuning, members(r), links_in_node(tuning, r));
  const double bandwidth = std::min(inside, r.ring_bandwidth) * r.ranks / ring_steps(r).all;
  return {tuning.nvlink.nvls_s + nvls_sharp_hop_s(tuning, r, hop), 1 / bandwidth};
}

Line collnet_line(const NcclTuning& tuning, const NcclRequest& r, bool direct, Hop hop) {
  const NcclHops& inside = r.nvlink ? tuning.nvlink : tuning.pcie;
  const double others = members(r) - 1;
  const double slower = direct && tuning.nvls.efficiency > 0 ? 0.85 : 1;
  const double network_s =
      direct ? tuning.network.collnet_direct_s : tuning.network.collnet_chain_s;
  const double in_node_s = direct
                               ? std::min(1.0, others) * inside.collnet_direct_s + others * arity_s
                               : others * inside.collnet_chain_s;
  return {2 * in_node_s + network_hop_s(tuning, network_s, NcclProtocol::simple, r, hop, 0),
          2 / (slower * std::min(tuning.ring_bandwidth, 2 * r.ring_bandwidth))};
}

}  // namespace

bool is_in_network(NcclAlgorithm algorithm) {
  return algorithm == NcclAlgorithm::nvls || algorithm == NcclAlgorithm::collnet_direct ||
         algorithm == NcclAlgorithm::collnet_chain;
}

std::span<const NcclAlgorithm> in_network_algorithms(const NcclTuning& tuning,
                                                     const NcclRequest& r) {
  static constexpr NcclAlgorithm all[] = {NcclAlgorithm::nvls, NcclAlgorithm::collnet_direct,
                                          NcclAlgorithm::collnet_chain};
  const bool able = r.fabric == LinkKind::infiniband_sharp && r.nodes > 1 &&
                    operation_of(r.kind).in_switch && r.element_bytes > 1;
  if (!able) return {};
  const std::span<const NcclAlgorithm> some = all;
  if (switch_of_node_reduces(tuning, r)) return some;
  return some.subspan(r.on_switch && members(r) <= most_direct ? 1 : 2);
}

Line in_network_line(const NcclTuning& tuning, const NcclRequest& r, NcclAlgorithm algorithm,
                     Hop hop) {
  if (algorithm == NcclAlgorithm::nvls) return nvls_line(tuning, r, hop);
  return collnet_line(tuning, r, algorithm == NcclAlgorithm::collnet_direct, hop);
}

double nvls_sharp_hop_s(const NcclTuning& tuning, const NcclRequest& r, Hop hop) {
  return network_hop_s(tuning, tuning.network.nvls_s, NcclProtocol::simple, r, hop, 0);
}

double in_node_s_per_byte(const NcclTuning& tuning, const NcclRequest& r, NcclAlgorithm algorithm) {
  const double g = members(r);
  if (g < 2) return 0;
  const double moved = algorithm == NcclAlgorithm::collnet_direct ? 2 * (g - 1) / g : 1;
  return moved / tuning.ring_bandwidth;
}

}  // namespace pipewright
