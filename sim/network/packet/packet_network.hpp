// Traffic as packets: what flows cannot show, that is queues, drops, time-outs and priorities.
//
// Assumes: store and forward; every link is a port with one finite drop-tail queue per priority,
// served strictly, the higher first; a packet in flight is never interrupted. Of one priority a
// source takes turns between its flows, packet by packet, and keeps what waits in its own memory,
// so its first port drops nothing. Routes are in order, so a gap in what is acknowledged on one
// route is a loss. Acknowledgements take the route's latency, no bandwidth, and are never lost.
//   alone, one packet of L bytes over h hops:   sum over hops of (L / B + latency)
//   window w in packets: first rtt / (mtu / B), which keeps the narrowest link busy, rtt being that
//   of one packet with nobody else there; +1 every w acknowledgements; halved at a loss, once a
//   round trip; 1 after a time-out, then +1 each until half of what it was (AIMD, RFC 5681)
//   dctcp: an acknowledgement tells whether its packet found more than `mark` waiting; a window
//   with such a packet shrinks by a half of their share, once a round trip, the share being a mean
//   of those of past windows, a sixteenth of the newest (RFC 8257)
//   dcqcn: packets leave at a rate that such acknowledgements cut (dcqcn_rate.hpp); the window
//   stays as it is, by default all packets
//
//   reliable: what is lost is sent again, first
//   bounded-loss: only when more than `loss` of the flow is missing once all was sent; losses
//   within that do not shrink the window
//
//   small gradients: a port drops their packets where it marks others, as a switch does with what
//   cannot be marked (RFC 7567, section 4.2.1); which packets hold them is drawn
//
//   pause: a queue that holds more stops the ports that feed it (pauses.hpp)
//
// A time-out comes after the longer of `rto` and two round trips, then twice that. Only what no
// later packet of its route follows waits for one: the end of a flow. That is so on NICs. ConnectX
// tells a gap by a negative acknowledgement, and what nothing follows by its timer: 4.096 us x 2^20
// = 4.3 s by default of NCCL (NCCL_IB_TIMEOUT, since 2.23), or with adaptive retransmission a time
// from 4 us on that doubles up to that (NVIDIA, Adaptive Retransmission: Parameters Control). TCP
// probes the end of a flow after two round trips (RFC 8985, 7), which is not modelled, nor that the
// next message of a connection follows. Not modelled either: headers, buffers shared by ports,
// switching time. Source: H. Wang et al., Domain-specific
// communication optimization for distributed DNN training (DLCP), arXiv 2008.08445, for bounded
// loss, priorities, spraying, a control like DCTCP's and small gradients dropped first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.hpp"

namespace pipewright {

enum class Transport : uint8_t { reliable, bounded_loss };

/// What a sender slows down by.
enum class RateControl : uint8_t {
  aimd,   ///< losses
  dctcp,  ///< losses, and marks of long queues
  dcqcn,  ///< marks, by the rate
};

struct PacketOptions {
  Bytes mtu{9000};
  Bytes queue = 100 * KiB;  ///< of one priority of one port, without the packet in flight
  Transport transport = Transport::reliable;
  double loss = 0.01;  ///< of a flow's packets, that bounded_loss does without
  RateControl control = RateControl::aimd;
  std::optional<Bytes> mark;   ///< a packet that finds more waiting is marked; none: no packet is
  std::optional<Bytes> pause;  ///< a queue with more stops what feeds it; none: no queue does
  double small = 0;            ///< of a flow's packets: those of small gradients
  int priorities = 8;          ///< at most 32
  bool spray = false;  ///< every packet over a route drawn anew; else a flow keeps its first
  Time rto = milliseconds(1);
  uint32_t window = 0;  ///< packets to begin with; 0: as many as keep the route busy
  uint64_t seed = 0;
};

/// A link and what follows it before the next one.
struct PacketHop {
  uint32_t port = 0;
  Time latency;
};
using PacketRoute = std::vector<PacketHop>;

struct PacketFlow {
  std::vector<const PacketRoute*> routes;  ///< none empty; without one it takes no time
  Bytes bytes;
  Time start;
  int priority = 0;                 ///< below `priorities`; the higher is served first
  std::span<const uint32_t> after;  ///< begins `delay` after these have ended, if that is later
  Time delay;
};

struct PacketFlowResult {
  Time end;                    ///< when the receiver has what it needs
  uint64_t packets = 0;        ///< that it consists of
  uint64_t dropped = 0;        ///< in queues, repetitions included
  uint64_t dropped_small = 0;  ///< of those, with small gradients
  uint64_t repeated = 0;       ///< sent again
  uint64_t timeouts = 0;
};

struct PacketTraffic {
  std::vector<PacketFlowResult> flows;
  std::vector<uint64_t> dropped;  ///< by port
  uint64_t sent = 0;              ///< packets over ports, each port counted
  uint64_t events = 0;
};

inline constexpr uint64_t most_packets = 1'000'000'000;

/// `ports`: how fast each is. Throws Failure where there are more than `most_packets` packets, or
/// where the clock does not reach.
PacketTraffic run_packets(std::span<const PacketFlow> flows, std::span<const Bandwidth> ports,
                          const PacketOptions& options);

}  // namespace pipewright
