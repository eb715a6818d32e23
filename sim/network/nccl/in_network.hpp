// NCCL's collectives in switches between nodes that reduce: CollNet, by InfiniBand's SHARP.
#pragma once

#include <span>

#include "network/nccl/choice.hpp"

namespace pipewright {

/// Tells whether an algorithm over several nodes lets switches between them reduce.
bool is_in_network(NcclAlgorithm algorithm);

/// Returns the algorithms in the network among which NCCL may choose; none where switches do not
/// reduce, in one node, and for operations that they do not serve.
std::span<const NcclAlgorithm> in_network_algorithms(const NcclTuning& tuning,
                                                     const NcclRequest& request);

/// Returns NCCL's belief about one of them.
Line in_network_line(const NcclTuning& tuning, const NcclRequest& request, NcclAlgorithm algorithm,
                     Hop hop);

/// Returns the seconds from the switches of nodes to those between them and back.
double nvls_sharp_hop_s(const NcclTuning& tuning, const NcclRequest& request, Hop hop);

/// Returns the seconds in which NVLink moves a byte of the buffer between the GPUs of a node and
/// those of them that send: all, each its part (direct), or the last of a chain.
double in_node_s_per_byte(const NcclTuning& tuning, const NcclRequest& request,
                          NcclAlgorithm algorithm);

}  // namespace pipewright
