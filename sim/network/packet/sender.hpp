// The sender of a flow: how far it has come, and what it knows to be lost.
#pragma once

#include <vector>

#include "network/packet/congestion_window.hpp"
#include "network/packet/dcqcn_rate.hpp"
#include "network/packet/packet_pool.hpp"

namespace pipewright {

struct Losses {
  uint32_t times = 0;    ///< that a packet was lost
  uint32_t missing = 0;  ///< known to be lost and not sent again since
  PacketList to_repeat;
};

struct Sender {
  uint32_t packets = 1, may_miss = 0;
  uint32_t next = 0;        ///< the first that was never sent
  uint32_t received = 0;    ///< different ones
  uint32_t in_flight = 0;   ///< sent, neither acknowledged nor known to be lost
  uint32_t in_network = 0;  ///< sent, neither delivered nor dropped
  uint32_t returning = 0;   ///< acknowledgements
  uint32_t transmissions = 0;
  bool repeats = false, done = false;
  std::vector<PacketList> unacknowledged;   ///< by route, in the order of sending
  std::vector<bool> arrived, acknowledged;  ///< by packet
  Losses losses;
  CongestionWindow window;
  MarkedShare marks;
  DcqcnRate rate;
  Time next_send;  ///< by its rate
  RetransmissionTimer timer;
};

}  // namespace pipewright
