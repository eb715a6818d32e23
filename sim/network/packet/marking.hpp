// What a port does to packets that find a long queue.
//
//   a packet that finds more than `mark` bytes waiting is marked; under dcqcn with a probability
//   that grows evenly from 0 at `mark` to 1 % at 40 times as much, beyond which all are (thresholds
//   of 5 and 200 KB and the 1 % as in Zhu et al., SIGCOMM 2015, section 5.2) small gradients are
//   dropped where others would be marked
#pragma once

#include "network/packet/packet_network.hpp"
#include "network/packet/packet_pool.hpp"

namespace pipewright {

/// Tells whether a packet that finds `waiting` bytes is marked. What is by chance depends on the
/// seed, the flow and how often it has sent.
bool is_marked(const Packet& packet, Bytes waiting, const PacketOptions& options);

/// Tells whether the packet holds small gradients.
bool is_small(const Packet& packet, const PacketOptions& options);

}  // namespace pipewright
