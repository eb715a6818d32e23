// What a sender knows of its flow and route before anything is sent.
#pragma once

#include "network/packet/packet_network.hpp"

namespace pipewright {

/// Returns how many packets of `mtu` bytes at most hold `bytes`; no bytes are one.
uint32_t packets_of(Bytes bytes, Bytes mtu);

/// Returns what an acknowledgement takes along a route.
Time return_latency(const PacketRoute& route);

struct SenderPlan {
  uint32_t packets = 1;
  uint32_t routes = 1;
  uint32_t window = 1;          ///< packets
  Time round_trip;              ///< of one packet with nobody else there
  double line_bytes_per_s = 0;  ///< of its first port
};

/// Plans a window of as many packets as keep the narrowest link of a route busy until the first is
/// acknowledged; of all packets where they leave at a rate.
SenderPlan plan_of(const PacketFlow& flow, std::span<const Bandwidth> ports,
                   const PacketOptions& options);

}  // namespace pipewright
