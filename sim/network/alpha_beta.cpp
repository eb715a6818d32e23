// The alpha-beta model: contention-free, linear in size.
//
//   transfer        alpha + S / beta
//   all_gather, reduce_scatter   (n - 1) (alpha + S / (n beta))
//   all_reduce      2 (n - 1) (alpha + S / (n beta))         reduce_scatter, then all_gather
//   broadcast, reduce   (n - 1) alpha + S / beta             a pipelined chain
//   shift           alpha + S / beta        the mean alpha of the ring's edges
//   all_to_all      sum of alpha over peers + S / n * max(time per byte inside, across nodes)
//
//   S bytes: of the whole buffer (as nccl-tests counts); n devices of the group
//   alpha s: latency of the route; (n - 1) alpha is a sum over the edges of the ring, see ring.cpp
//   beta bytes/s: bottleneck of the route; of the slowest place of the ring, all rails together
//
// Assumes: nothing else uses the links, but that all devices of a node use their NICs alike (see
// ring.cpp); links carry their full bandwidth at any size; no protocol overhead, start-up cost,
// tree, NVLS or SHARP. Real collectives reach 0.75 to 0.9 of beta and pay some 7 us to start.
// Source: Hockney (1994); Thakur, Rabenseifner, Gropp (2005), ring algorithms; NCCL's rings.
#include "network/alpha_beta.hpp"

#include "base/clock_exceeded.hpp"

namespace pipewright {

Time AlphaBeta::transfer(int from_device, int to_device, Bytes bytes) const {
  if (from_device == to_device) return {};
  return transfer(topology_.route(from_device, to_device), bytes);
}

Time AlphaBeta::transfer(const Route& route, Bytes bytes) {
  return later(route.latency, bytes / route.bottleneck);
}

Time AlphaBeta::collective(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const {
  return collective(kind, ring(devices), bytes);
}

Time AlphaBeta::collective(CollectiveKind kind, const Ring& ring, Bytes bytes) const {
  if (ring.size < 2) return {};
  const double n = ring.size, size = static_cast<double>(bytes.count);
  const double around = ring.latency_s + (n - 1) / n * size * ring.seconds_per_byte;
  switch (kind) {
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
      return seconds(around);
    case CollectiveKind::all_reduce:
      return seconds(2 * around);
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
      return seconds(ring.latency_s + size * ring.seconds_per_byte);
    case CollectiveKind::shift:
      return seconds(ring.latency_s / (n - 1) + size * ring.seconds_per_byte);
    case CollectiveKind::all_to_all:
      break;
  }
  return seconds(ring.peers_latency_s + size / n * ring.peers_s_per_byte);
}

}  // namespace pipewright
